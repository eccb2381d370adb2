package bot

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A disk that takes nothing stands before no move: while a finished game and the
// state file wait for it, a game goes on, another begins, and the event stream is
// opened again.
func TestGame_DiskStuck(t *testing.T) {
	t.Parallel()
	r := newRig(t, lichesstest.Options{})
	dir := t.TempDir()
	archive, closeArchive := openArchive(t, dir)
	defer closeArchive()
	file, err := record.OpenState(dir)
	if err != nil {
		t.Fatal(err)
	}
	var hangs atomic.Bool
	stuck, free := make(chan string, 100), make(chan struct{})
	sync := func(f *os.File) error {
		if hangs.Load() {
			stuck <- f.Name()
			<-free
		}
		return f.Sync()
	}
	archive.SetSync(sync)
	file.SetSync(sync)
	r.state = file
	b := r.start(func(b *Bot) { b.opts.Archive, b.opts.Engine = archive, &fakeEngine{peace: 1000} })
	defer b.halt()
	hangs.Store(true)
	defer close(free)
	first, second := r.challengeAsHuman(withColor(blitz, "white")), r.challengeAsBot(withColor(blitz, "white"))
	first.play(0, "e2e4")
	second.play(0, "d2d4")
	r.plies(first.id, 2)
	first.perform(lichesstest.Action{Resign: true})
	waittest.Until(t, "the archive waits for the disk", func() bool {
		select {
		case name := <-stuck:
			return strings.HasSuffix(name, ".pgn")
		default:
			return false
		}
	})
	second.play(2, "g1f3")
	r.plies(second.id, 4)
	opened := r.requests(endpointEventStream)
	r.Faults.Inject("cut", lichesstest.When{Next: 1})
	id := r.Challenge(humanName, botName, withColor(blitz, "black"))
	r.plies(id, 1)
	r.Restart(0)
	waittest.Until(t, "the event stream is open again", func() bool { return r.requests(endpointEventStream) > opened })
	second.play(4, "b1c3")
	r.plies(second.id, 6)
	if archive.Backlog().Waiting != 1 {
		t.Error("the disk was not stuck")
	}
	r.checkNoViolations()
}

// The disk takes nothing while a game is played and ends: it is played all the
// same, and recorded once, as soon as there is room.
func TestRun_DiskFull(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := filepath.Join(t.TempDir(), "records")
		archive, closeArchive := openArchive(t, dir)
		defer closeArchive()
		b := r.start(func(b *Bot) { b.opts.Archive = archive })
		aside := dir + ".aside"
		if err := os.Rename(dir, aside); err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, dir, "") // whatever is written below it fails, also the games in progress
		r.AddHuman("alice", peaceful(8, 0))
		id := r.Challenge("alice", botName, blitz)
		if end := r.finished(id); end.Status != "mate" {
			t.Errorf("the game ended by %s", end.Status)
		}
		waittest.Until(t, "the disk has refused the game", func() bool { return len(seen[event.GameEnded](r)) == 1 })
		if s := b.Status().Records; s.Waiting != 1 || s.Since.IsZero() || s.Reason == "" {
			t.Errorf("meanwhile the status is %+v", s)
		}
		waittest.Until(t, "the log tells of the games in progress, too", func() bool {
			return r.log.messages("games in progress not saved: after a crash, their evaluations and clocks are lost") == 1
		})
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(aside, dir); err != nil {
			t.Fatal(err)
		}
		waittest.Until(t, "the game is archived", func() bool { return archivedGames(t, dir) != "" })
		if text := archivedGames(t, dir); strings.Count(text, "[GameId \""+id+"\"]") != 1 {
			t.Errorf("the archive holds\n%s", text)
		}
		synctest.Wait()
		if s := b.Status().Records; s != (record.Backlog{}) {
			t.Errorf("afterwards the status is %+v", s)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		waittest.Until(t, "the folder is made again", func() bool { return record.InUse(dir) })
		r.checkNoViolations()
	})
}
