package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// file is an entry of an archive.
type file struct {
	name string
	mode int64
	data []byte
}

// companions are the files shipped with the program.
var companions = []string{"LICENSE", "README.md", "config.example.yaml", "deploy/zhbot.service", "deploy/zhbot-user.service", "deploy/compose.yaml"}

// collect reads the files of an archive, in archive order: the program, its companions,
// and what the program has written about itself.
func collect(folder, program string, documents []file) ([]file, error) {
	data, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	files := []file{{path.Join(folder, filepath.Base(program)), 0o755, data}}
	for _, name := range companions {
		if data, err = os.ReadFile(filepath.FromSlash(name)); err != nil {
			return nil, err
		}
		files = append(files, file{path.Join(folder, name), 0o644, data})
	}
	for _, f := range documents {
		files = append(files, file{path.Join(folder, f.name), f.mode, f.data})
	}
	return files, nil
}

// tarGzip packs files for Unix systems. A name that ends in a slash is a folder.
func tarGzip(w io.Writer, files []file, at time.Time) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(compressed)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: at, Format: tar.FormatUSTAR}
		if strings.HasSuffix(f.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := out.WriteHeader(header); err != nil {
			return err
		}
		if _, err := out.Write(f.data); err != nil {
			return err
		}
	}
	return errors.Join(out.Close(), compressed.Close())
}

// zipped packs files for Windows.
func zipped(w io.Writer, files []file, at time.Time) error {
	out := zip.NewWriter(w)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(os.FileMode(f.mode))
		entry, err := out.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.data); err != nil {
			return err
		}
	}
	return out.Close()
}

// sumOf returns the SHA-256 sum of a file in hexadecimal, and its size.
func sumOf(name string) (sum string, size int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	hash := sha256.New()
	size, err = io.Copy(hash, f)
	return hex.EncodeToString(hash.Sum(nil)), size, err
}
