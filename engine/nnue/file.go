package nnue

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
)

// The network file, little-endian:
//
//	magic    "ZHNN"
//	header   structure, inputs, width, buckets, summary length: 5 × uint32
//	summary  UTF-8 text
//	weights  in the order of Weights.parts
//	digest   SHA-256 of everything before
const (
	fileMagic = "ZHNN"
	structure = 5 // of the network

	// WidthStep is what widths are multiples of.
	WidthStep = 64

	maxWidth   = 1024
	maxBuckets = 16
	maxSummary = 64 << 10
	// maxFile limits what Read reads.
	maxFile = 4 + 20 + maxSummary + maxWidth*(Inputs+2) +
		maxBuckets*(DenseNeurons*(maxWidth+AttackInputs)+maxTail) + sha256.Size
	maxTail = 4 * (2*DenseNeurons + HiddenInputs*HiddenNeurons + 2*HiddenNeurons + 1)
)

// ErrBadNetwork is in the chain of every error about the content of a network.
var ErrBadNetwork = errors.New("not a usable network")

type fileHeader struct {
	Structure, Inputs, Width, Buckets, Summary uint32
}

// New returns a network with the given weights. Its errors wrap [ErrBadNetwork].
func New(w Weights) (*Network, error) {
	var file bytes.Buffer
	if err := write(&file, &w); err != nil {
		return nil, err
	}
	return Read(&file)
}

// Load reads a network from a file. Errors about its content wrap [ErrBadNetwork].
func Load(path string) (*Network, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("load network: %w", err)
	}
	defer f.Close()
	n, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("load network %s: %w", path, err)
	}
	return n, nil
}

// Read reads a network. Errors about its content wrap [ErrBadNetwork].
func Read(r io.Reader) (*Network, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read network: %w", err)
	}
	return decode(data)
}

// decode reads the network of a whole file.
func decode(data []byte) (*Network, error) {
	h, rest, err := readHeader(data)
	if err != nil {
		return nil, err
	}
	w := makeWeights(int(h.Width), int(h.Buckets))
	w.Summary = string(rest[:h.Summary])
	rest = rest[h.Summary:]
	for _, part := range w.parts() {
		n := binary.Size(part.weights)
		if n > len(rest) {
			return nil, fmt.Errorf("%w: cut short in the weights", ErrBadNetwork)
		}
		// No more than n bytes: Decode copies all of them into int8.
		if _, err := binary.Decode(rest[:n], binary.LittleEndian, part.weights); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrBadNetwork, err)
		}
		rest = rest[n:]
	}
	digest := sha256.Sum256(data[:len(data)-len(rest)])
	if !bytes.Equal(rest, digest[:]) {
		return nil, fmt.Errorf("%w: checksum differs, the file is damaged", ErrBadNetwork)
	}
	for _, part := range w.parts() {
		if err := part.checkRange(); err != nil {
			return nil, err
		}
	}
	return newNetwork(w, hex.EncodeToString(digest[:6])), nil
}

func readHeader(data []byte) (h fileHeader, rest []byte, err error) {
	if len(data) < 24 || string(data[:4]) != fileMagic {
		return h, nil, fmt.Errorf("%w: it does not start with %s", ErrBadNetwork, fileMagic)
	}
	if _, err := binary.Decode(data[4:24], binary.LittleEndian, &h); err != nil {
		return h, nil, fmt.Errorf("%w: %w", ErrBadNetwork, err)
	}
	rest = data[24:]
	switch {
	case h.Structure != structure:
		err = fmt.Errorf("%w: structure %d, this program has %d; train another network",
			ErrBadNetwork, h.Structure, structure)
	case h.Inputs != Inputs:
		err = fmt.Errorf("%w: %d inputs, this program has %d", ErrBadNetwork, h.Inputs, Inputs)
	case h.Width == 0 || h.Width%WidthStep != 0 || h.Width > maxWidth:
		err = fmt.Errorf("%w: width %d, want a multiple of %d up to %d", ErrBadNetwork, h.Width, WidthStep, maxWidth)
	case h.Buckets == 0 || h.Buckets > maxBuckets:
		err = fmt.Errorf("%w: %d buckets, want 1 to %d", ErrBadNetwork, h.Buckets, maxBuckets)
	case h.Summary > maxSummary || int(h.Summary) > len(rest):
		err = fmt.Errorf("%w: summary of %d bytes does not fit", ErrBadNetwork, h.Summary)
	}
	return h, rest, err
}

// Write writes the network in the format of [Read].
func (n *Network) Write(w io.Writer) error { return write(w, &n.weights) }

func write(out io.Writer, w *Weights) error {
	digest := sha256.New()
	to := io.MultiWriter(out, digest)
	h := fileHeader{structure, Inputs, uint32(w.Width), uint32(w.Buckets), uint32(len(w.Summary))}
	parts := []any{[]byte(fileMagic), h, []byte(w.Summary)}
	for _, part := range w.parts() {
		parts = append(parts, part.weights)
	}
	for _, part := range parts {
		if err := binary.Write(to, binary.LittleEndian, part); err != nil {
			return fmt.Errorf("write network: %w", err)
		}
	}
	if _, err := out.Write(digest.Sum(nil)); err != nil {
		return fmt.Errorf("write network: %w", err)
	}
	return nil
}
