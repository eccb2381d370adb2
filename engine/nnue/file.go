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
//	header   version, inputs, width, buckets, summary length: 5 × uint32
//	summary  UTF-8 text
//	weights  first layer int16 by feature, its bias int16,
//	         second layer int16 by bucket, its bias int32
//	digest   SHA-256 of everything before
const (
	fileMagic   = "ZHNN"
	fileVersion = 1

	maxWidth   = 1024
	maxBuckets = 16
	maxSummary = 64 << 10
	// maxFile limits what Read reads.
	maxFile = 4 + 20 + maxSummary + 2*maxWidth*(Inputs+1) + maxBuckets*(4*maxWidth+4) + sha256.Size
)

// ErrBadNetwork is in the chain of every error about the content of a network.
var ErrBadNetwork = errors.New("not a usable network")

type fileHeader struct {
	Version, Inputs, Width, Buckets, Summary uint32
}

// Weights are the parameters of a network, in the units of the file.
type Weights struct {
	Width      int     // neurons of one perspective
	Buckets    int     // output neurons
	Input      []int16 // Inputs rows of Width
	InputBias  []int16 // Width
	Output     []int16 // Buckets rows of 2 Width: that of the side to move first
	OutputBias []int32 // Buckets, in units of 1/(QuantA QuantB)
	Summary    string
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
	h, rest, err := readHeader(data)
	if err != nil {
		return nil, err
	}
	w := Weights{
		Width: int(h.Width), Buckets: int(h.Buckets), Summary: string(rest[:h.Summary]),
		Input: make([]int16, Inputs*h.Width), InputBias: make([]int16, h.Width),
		Output: make([]int16, h.Buckets*2*h.Width), OutputBias: make([]int32, h.Buckets),
	}
	in := bytes.NewReader(rest[h.Summary:])
	for _, part := range []any{w.Input, w.InputBias, w.Output, w.OutputBias} {
		if err := binary.Read(in, binary.LittleEndian, part); err != nil {
			return nil, fmt.Errorf("%w: cut short in the weights", ErrBadNetwork)
		}
	}
	digest := sha256.Sum256(data[:len(data)-in.Len()])
	if tail := data[len(data)-in.Len():]; !bytes.Equal(tail, digest[:]) {
		return nil, fmt.Errorf("%w: checksum differs, the file is damaged", ErrBadNetwork)
	}
	return &Network{w, hex.EncodeToString(digest[:6])}, w.checkRange()
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
	case h.Version != fileVersion:
		err = fmt.Errorf("%w: format version %d, this program reads %d", ErrBadNetwork, h.Version, fileVersion)
	case h.Inputs != Inputs:
		err = fmt.Errorf("%w: %d inputs, this program has %d", ErrBadNetwork, h.Inputs, Inputs)
	case h.Width == 0 || h.Width%128 != 0 || h.Width > maxWidth:
		err = fmt.Errorf("%w: width %d, want a multiple of 128 up to %d", ErrBadNetwork, h.Width, maxWidth)
	case h.Buckets == 0 || h.Buckets > maxBuckets:
		err = fmt.Errorf("%w: %d output buckets, want 1 to %d", ErrBadNetwork, h.Buckets, maxBuckets)
	case h.Summary > maxSummary || int(h.Summary) > len(rest):
		err = fmt.Errorf("%w: summary of %d bytes does not fit", ErrBadNetwork, h.Summary)
	}
	return h, rest, err
}

// checkRange returns an error for weights whose sums could overflow.
func (w *Weights) checkRange() error {
	for _, part := range []struct {
		name    string
		weights []int16
		limit   int16
	}{
		{"first layer", w.Input, 505},
		{"first layer's bias", w.InputBias, 505},
		{"second layer", w.Output, 127},
	} {
		for i, v := range part.weights {
			if v > part.limit || v < -part.limit {
				return fmt.Errorf("%w: weight %d of the %s is %d, beyond ±%d", ErrBadNetwork, i, part.name, v, part.limit)
			}
		}
	}
	return nil
}

// Write writes the network in the format of [Read].
func (n *Network) Write(w io.Writer) error {
	return write(w, &n.weights)
}

func write(out io.Writer, w *Weights) error {
	digest := sha256.New()
	to := io.MultiWriter(out, digest)
	h := fileHeader{fileVersion, Inputs, uint32(w.Width), uint32(w.Buckets), uint32(len(w.Summary))}
	for _, part := range []any{[]byte(fileMagic), h, []byte(w.Summary), w.Input, w.InputBias, w.Output, w.OutputBias} {
		if err := binary.Write(to, binary.LittleEndian, part); err != nil {
			return fmt.Errorf("write network: %w", err)
		}
	}
	if _, err := out.Write(digest.Sum(nil)); err != nil {
		return fmt.Errorf("write network: %w", err)
	}
	return nil
}
