package train

import (
	"encoding/binary"
	"errors"
	"fmt"
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

// read returns the data of a shard.
func (s *spillFiles) read(shard int) ([]uint16, error) {
	file, err := os.ReadFile(s.files[shard].Name())
	if err != nil {
		return nil, fmt.Errorf("read samples: %w", err)
	}
	data := make([]uint16, len(file)/2)
	for i := range data {
		data[i] = binary.LittleEndian.Uint16(file[2*i:])
	}
	return data, nil
}
