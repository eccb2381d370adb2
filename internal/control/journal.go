package control

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/zhbot/zhbot/internal/file"
)

// Journal is a file to which each command is appended as a line of JSON: who gave it, and
// its result. It is safe for concurrent use.
type Journal struct {
	mu   sync.Mutex // held while the file is written
	path string
}

// JournalFile is the name of the journal in the folder of records.
const JournalFile = "operator.jsonl"

// NewJournal returns the journal in a file, which is created with the first entry.
func NewJournal(path string) *Journal { return &Journal{path: path} }

// Entry is a command in the journal.
type Entry struct {
	Time    time.Time `json:"time"`
	Origin  string    `json:"origin"` // who gave it, and how
	Command string    `json:"command"`
	Args    []string  `json:"args,omitempty"`
	Result  string    `json:"result,omitempty"`
	Error   string    `json:"error,omitempty"` // why it was not executed
}

// add appends an entry.
func (j *Journal) add(e *Entry) error {
	if j == nil {
		return nil
	}
	line, err := json.Marshal(e)
	if err == nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		err = file.Append(j.path, append(line, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the operator's journal: %w", err)
	}
	return nil
}
