package book

import (
	_ "embed" // the embedded book
	"fmt"
	"sync"
)

//go:embed books/opening.zhbk
var embedded []byte

// openEmbedded returns the embedded book.
var openEmbedded = sync.OnceValues(func() (Book, error) {
	t, err := parseTable(embedded)
	if err != nil {
		return nil, fmt.Errorf("embedded book: %w", err)
	}
	return t, nil
})
