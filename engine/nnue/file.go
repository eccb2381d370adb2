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
	// maxFile limits what Load reads.
	maxFile = 4 + 20 + maxSummary + maxWidth*(Inputs+2) +
		maxBuckets*(DenseNeurons*(maxWidth+AttackInputs)+maxTail) + sha256.Size
	maxTail = 4 * (2*DenseNeurons + HiddenInputs*HiddenNeurons + 2*HiddenNeurons + 1)
)

// ErrBadNetwork is in the chain of every error about the content of a network.
var ErrBadNetwork = errors.New("not a usable network")

type fileHeader struct {
	Magic                                      [4]byte
	Structure, Inputs, Width, Buckets, Summary uint32
}

// New returns a network with the given weights. Its errors wrap [ErrBadNetwork].
func New(w Weights) (*Network, error) { return decode(encodeFile(&w)) }

// Load reads a network from a file. Errors about its content wrap [ErrBadNetwork].
func Load(path string) (*Network, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("load network: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("load network %s: %w", path, err)
	}
	n, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("load network %s: %w", path, err)
	}
	return n, nil
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
		_, _ = binary.Decode(rest[:n], binary.LittleEndian, part.weights) // exactly its size
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
	n, err := binary.Decode(data, binary.LittleEndian, &h)
	if err != nil || string(h.Magic[:]) != fileMagic {
		return h, nil, fmt.Errorf("%w: it does not start with %s", ErrBadNetwork, fileMagic)
	}
	rest = data[n:]
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

// Encode returns the file of the network, which [Load] reads.
func (n *Network) Encode() []byte { return encodeFile(&n.weights) }

func encodeFile(w *Weights) []byte {
	h := fileHeader{[4]byte([]byte(fileMagic)), structure, Inputs, uint32(w.Width), uint32(w.Buckets),
		uint32(len(w.Summary))}
	file, _ := binary.Append(nil, binary.LittleEndian, h) // sizes are fixed
	file = append(file, w.Summary...)
	for _, part := range w.parts() {
		file, _ = binary.Append(file, binary.LittleEndian, part.weights)
	}
	digest := sha256.Sum256(file)
	return append(file, digest[:]...)
}
