package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/resources"
)

// boundedInt is a flag's whole number that must be within bounds.
type boundedInt struct {
	value *int
	min   int
	max   func() int // asked when the flag is given
}

// Set implements pflag.Value.
func (b boundedInt) Set(text string) error {
	n, err := strconv.Atoi(text)
	if most := b.max(); err != nil || n < b.min || n > most {
		return fmt.Errorf("want a number from %d to %d", b.min, most)
	}
	*b.value = n
	return nil
}

// String implements pflag.Value.
func (b boundedInt) String() string {
	if b.value == nil { // pflag asks a zero value
		return "0"
	}
	return strconv.Itoa(*b.value)
}

// Type implements pflag.Value.
func (b boundedInt) Type() string { return "int" }

// hashFlag adds the flag for a transposition table, which must fit into memory.
func hashFlag(f *pflag.FlagSet, hashMB *int, value int, usage string) {
	*hashMB = value
	f.Var(boundedInt{hashMB, 1, func() int {
		if memory := resources.Memory(); memory > 0 {
			return int(memory >> 20)
		}
		return config.MaxHashMB
	}}, "hash", usage)
}

// threadsFlag adds the flag for search threads; a default of 0 is one for each
// core.
func threadsFlag(f *pflag.FlagSet, threads *int, value int, usage string) {
	*threads = value
	f.Var(boundedInt{threads, min(value, 1), func() int { return config.MaxThreads }}, "threads", usage)
}
