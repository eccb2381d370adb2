package bot

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// The disk takes nothing while a game is played and ends: it is played all the
// same, and recorded once, as soon as there is room.
func TestRun_DiskFull(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	dir := filepath.Join(t.TempDir(), "records")
	archive, shut := openArchive(t, dir)
	defer shut()
	r.start(func(b *Bot) { b.opts.Archive = archive })
	aside := dir + ".aside"
	if err := os.Rename(dir, aside); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // whatever is written below it fails
		t.Fatal(err)
	}
	r.AddHuman("alice", peaceful(8, 0))
	id := r.Challenge("alice", botName, blitz)
	if end := r.finished(id); end.Status != "mate" {
		t.Errorf("the game ended by %s", end.Status)
	}
	eventually(t, "the disk has refused the game", func() bool { return r.log.messages("game not archived") == 1 })
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(aside, dir); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the game is archived", func() bool { return r.log.messages("pending games archived") == 1 })
	if text := archivedGames(t, dir); strings.Count(text, "[GameId \""+id+"\"]") != 1 {
		t.Errorf("the archive holds\n%s", text)
	}
	r.checkNoViolations()
}
