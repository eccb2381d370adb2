package book

import (
	_ "embed" // the embedded book
	"fmt"
	"sync"
)

//go:embed books/opening.zhbk
var embedded []byte

// Default returns the embedded book.
var Default = sync.OnceValues(func() (*Table, error) {
	t, err := parseTable(embedded)
	if err != nil {
		return nil, fmt.Errorf("embedded book: %w", err)
	}
	return t, nil
})

// openDefault returns Default as a Book, nil on error.
func openDefault() (Book, error) {
	t, err := Default()
	if err != nil {
		return nil, err
	}
	return t, nil
}
