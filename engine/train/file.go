package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// blockPlies is how many plies a block holds before it is written.
const blockPlies = 1 << 16

// Writer appends games to a file. It is not safe for concurrent use.
type Writer struct {
	file   *os.File
	packer *packer
	block  []byte
}

// OpenWriter opens a games file for appending, creates it if there is none,
// and removes a truncated tail. A file that holds games must have been made by
// the same recipe. It returns the number of games and searched plies in it.
func OpenWriter(path string, recipe Recipe) (w *Writer, games, plies int, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("open games file: %w", err)
	}
	w = &Writer{file: f, packer: newPacker()}
	if games, plies, err = w.resume(recipe); err != nil {
		f.Close()
		return nil, 0, 0, fmt.Errorf("open games file %s: %w", path, err)
	}
	return w, games, plies, nil
}

// resume goes to the end of the last whole block. To a new file it writes the
// recipe.
func (w *Writer) resume(recipe Recipe) (games, plies int, err error) {
	r := newBlockReader(w.file)
	for first := true; ; first = false {
		b, err := r.next()
		if errors.Is(err, io.EOF) || errors.Is(err, ErrTruncated) {
			break
		}
		if err == nil && first {
			err = checkRecipe(b, recipe)
		}
		if err != nil {
			return 0, 0, err
		}
		games += b.games
		plies += b.plies
	}
	size, err := w.file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, 0, err
	}
	if size-r.offset > maxBlock+headerV2 {
		return 0, 0, fmt.Errorf("damaged at byte %d of %d: removing what follows would lose games; choose another name", r.offset, size)
	}
	if err := w.file.Truncate(r.offset); err != nil {
		return 0, 0, err
	}
	if _, err := w.file.Seek(r.offset, io.SeekStart); err != nil || r.offset > 0 {
		return games, plies, err
	}
	text, err := json.Marshal(recipe)
	if err != nil {
		return 0, 0, err
	}
	return 0, 0, w.write(text, 0, 0)
}

// Add appends a game. It reaches the disk with the block it is in.
func (w *Writer) Add(g *Game) error {
	if err := w.packer.add(g); err != nil {
		return fmt.Errorf("write games: %w", err)
	}
	if w.packer.plies < blockPlies {
		return nil
	}
	return w.Flush()
}

// Flush writes the games added since the last block.
func (w *Writer) Flush() error {
	games, plies := w.packer.games, w.packer.plies
	if games == 0 {
		return nil
	}
	payload, err := w.packer.pack()
	if err != nil {
		return fmt.Errorf("write games: %w", err)
	}
	if err := w.write(payload, games, plies); err != nil {
		return fmt.Errorf("write games: %w", err)
	}
	return nil
}

func (w *Writer) write(payload []byte, games, plies int) error {
	w.block = appendBlock(w.block[:0], payload, games, plies)
	if _, err := w.file.Write(w.block); err != nil {
		return err
	}
	return w.file.Sync()
}

// Close writes what is left and closes the file.
func (w *Writer) Close() error { return errors.Join(w.Flush(), w.file.Close()) }

// Games yields the games of a file in order. The game is valid until the next
// one. A truncated tail ends the file with [ErrTruncated].
func Games(path string) iter.Seq2[*Game, error] {
	return func(yield func(*Game, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, fmt.Errorf("read games: %w", err))
			return
		}
		defer f.Close()
		r := newBlockReader(f)
		for {
			games, err := r.nextGames()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("read games %s at byte %d: %w", path, r.offset, err))
				return
			}
			for i := range games {
				if !yield(&games[i], nil) {
					return
				}
			}
		}
	}
}

// nextGames returns the games of the next block.
func (r *blockReader) nextGames() ([]Game, error) {
	b, err := r.next()
	if err != nil {
		return nil, err
	}
	return b.decode()
}

// decode returns the games of a block.
func (b block) decode() ([]Game, error) {
	switch {
	case !b.packed:
		return decodeRecords(b.payload, b.games)
	case b.games == 0:
		return nil, nil // the recipe
	}
	return unpack(b)
}
