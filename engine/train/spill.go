package train

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"
)

// spillFiles holds the shards of samples in files, one for each.
type spillFiles struct {
	dir    string
	files  []*os.File
	buffer []byte
}

// newSpill creates the files in a new directory in dir.
func newSpill(dir string, shards int) (*spillFiles, error) {
	dir, err := os.MkdirTemp(dir, "zhbot-samples-")
	if err != nil {
		return nil, fmt.Errorf("store samples: %w", err)
	}
	s := &spillFiles{dir: dir}
	for i := range shards {
		f, err := os.Create(filepath.Join(dir, strconv.Itoa(i)))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("store samples: %w", err), s.close())
		}
		s.files = append(s.files, f)
	}
	return s, nil
}

func (s *spillFiles) append(shard int, data []uint16) error {
	s.buffer = s.buffer[:0]
	for _, v := range data {
		s.buffer = binary.LittleEndian.AppendUint16(s.buffer, v)
	}
	if _, err := s.files[shard].Write(s.buffer); err != nil {
		return fmt.Errorf("store samples: %w", err)
	}
	return nil
}

// close removes the files.
func (s *spillFiles) close() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

// loadedShard is a shard in memory, or the error of reading it.
type loadedShard struct {
	*shard
	err error
}

// inOrder yields the shards in the given order, given the number of samples of each. While
// one is in use, it reads the next.
func (s *spillFiles) inOrder(order, counts []int) iter.Seq2[int, *loadedShard] {
	return func(yield func(int, *loadedShard) bool) {
		read := func(i int) <-chan *loadedShard {
			ready := make(chan *loadedShard, 1)
			go func() { ready <- s.load(i, counts[i]) }()
			return ready
		}
		var ahead <-chan *loadedShard
		for n, i := range order {
			if n == 0 {
				ahead = read(i)
			}
			current := <-ahead
			if n+1 < len(order) {
				ahead = read(order[n+1])
			}
			if !yield(i, current) {
				if n+1 < len(order) {
					<-ahead // before close removes the files
				}
				return
			}
		}
	}
}

func (s *spillFiles) load(i, count int) *loadedShard {
	data, err := os.ReadFile(s.files[i].Name())
	if err != nil {
		return &loadedShard{err: fmt.Errorf("read samples: %w", err)}
	}
	sh := &shard{data: make([]uint16, len(data)/2), starts: make([]uint32, 0, count)}
	for j := range sh.data {
		sh.data[j] = binary.LittleEndian.Uint16(data[2*j:])
	}
	if err := sh.index(count); err != nil {
		return &loadedShard{err: fmt.Errorf("read samples: %s: %w", s.files[i].Name(), err)}
	}
	return &loadedShard{shard: sh}
}
