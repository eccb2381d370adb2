package control

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/zhbot/zhbot/internal/file"
)

// JournalFile is the name of the journal in the folder of records.
const JournalFile = "operator.jsonl"

// Entry is a line of the journal: a command, who gave it, and its result.
type Entry struct {
	Time    time.Time `json:"time"`
	Origin  string    `json:"origin"` // who gave it, and how
	Command string    `json:"command"`
	Args    []string  `json:"args,omitempty"`
	Result  string    `json:"result,omitempty"`
	Error   string    `json:"error,omitempty"` // why it was not executed
}

// record appends an entry to the journal.
func (o *Operator) record(e *Entry) error {
	if o.Journal == "" {
		return nil
	}
	line, err := json.Marshal(e)
	if err == nil {
		o.writing.Lock()
		defer o.writing.Unlock()
		err = file.Append(o.Journal, append(line, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the operator's journal: %w", err)
	}
	return nil
}
