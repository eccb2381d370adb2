package book

import (
	_ "embed" // the book in the program
	"fmt"
	"sync"
)

//go:embed books/opening.zhbk
var embedded []byte

// Default returns the book in the program.
var Default = sync.OnceValues(func() (*Table, error) {
	t, err := parseTable(embedded)
	if err != nil {
		return nil, fmt.Errorf("the book in the program: %w", err)
	}
	return t, nil
})

// openDefault is Default without the trap of a nil pointer in an interface.
func openDefault() (Book, error) {
	t, err := Default()
	if err != nil {
		return nil, err
	}
	return t, nil
}
