package fetch

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/zhbot/zhbot/internal/file"
)

// checkpointName is the name of the file in the folder of the archive.
const checkpointName = "fetched.json"

// checkpoint is how far the games of users have been fetched: by user id, the time before
// which all games were created that are in the archive without a gap.
type checkpoint map[string]time.Time

// readCheckpoint reads the file of an archive; one that does not exist is empty.
func readCheckpoint(dir string) (checkpoint, error) {
	path := filepath.Join(dir, checkpointName)
	c, err := file.ReadJSON[checkpoint](path)
	if err != nil {
		return nil, fmt.Errorf("%w: delete %s to fetch all games again", err, path)
	}
	if c == nil {
		c = checkpoint{}
	}
	return c, nil
}

// of returns how far the games of a user are fetched, the zero time for none.
func (c checkpoint) of(user string) time.Time { return c[strings.ToLower(user)] }

// extend records that the games of a time span are fetched, and reports whether that
// brings the user further: it does not if it leaves a gap.
func (c checkpoint) extend(user string, from, to time.Time) bool {
	done := c.of(user)
	if from.After(done) || !to.After(done) {
		return false
	}
	c[strings.ToLower(user)] = to.UTC()
	return true
}

func (c checkpoint) write(dir string) error {
	if err := file.WriteJSON(filepath.Join(dir, checkpointName), c, 0o644); err != nil {
		return fmt.Errorf("write how far games are fetched: %w", err)
	}
	return nil
}
