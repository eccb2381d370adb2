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
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A disk that takes nothing stands before no move: while a finished game and the
// state file wait for it, a game goes on, another begins, and the event stream is
// opened again.
func TestGame_DiskStuck(t *testing.T) {
	t.Parallel()
	r := newRig(t, lichesstest.Options{})
	dir := t.TempDir()
	r.openState(dir)
	var hangs atomic.Bool
	stuck, free := make(chan string, 100), make(chan struct{})
	sync := func(f *os.File) error {
		if hangs.Load() {
			stuck <- f.Name()
			<-free
		}
		return f.Sync()
	}
	r.state.SetSync(sync)
	b := r.startIn(dir, func(b *setup) {
		b.opts.Archive.(*record.Archive).SetSync(sync)
		b.settings().Games = config.Games{Max: 2}
	})
	hangs.Store(true)
	defer close(free)
	first, second := r.challengeAsHuman("white"), r.challengeAsBot("white")
	first.play(0, "e2e4")
	second.play(0, "d2d4")
	r.plies(first.id, 2)
	first.resign()
	r.until("the archive waits for the disk", func() bool {
		select {
		case name := <-stuck:
			return strings.HasSuffix(name, ".pgn")
		default:
			return false
		}
	})
	r.plies(second.id, 2)
	second.exchange("g1f3")
	opened := r.requests(endpointEventStream)
	r.cut()
	third := r.challengeAsHuman("black casual")
	r.plies(third.id, 1)
	r.Say(third.id, humanName, "player", "!harder")
	third.play(1, "e7e5")
	r.plies(third.id, 3)
	r.Restart(0)
	r.until("the event stream is open again", func() bool { return r.requests(endpointEventStream) > opened })
	second.exchange("b1c3")
	if b.records.Backlog().Waiting != 1 {
		t.Error("the disk was not stuck")
	}
}

// The disk takes nothing while a game is played and ends: it is played all the
// same, and recorded once, as soon as there is room.
func TestRun_DiskFull(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := filepath.Join(t.TempDir(), "records")
		b := r.startIn(dir, func(b *setup) { b.opts.Engine = &fakeEngine{} })
		aside := dir + ".aside"
		r.must(os.Rename(dir, aside))
		fixture.Write(t, dir, "") // whatever is written below it fails, also the games in progress
		r.AddHuman("alice", peaceful(8, 0))
		id := r.challenge("alice", "")
		r.mated(id)
		await[event.GameEnded](r, 1)
		if s := b.Status().Records; s.Waiting != 1 || s.Since.IsZero() || s.Reason == "" {
			t.Errorf("meanwhile the status is %+v", s)
		}
		r.until("the log tells of the games in progress, too", func() bool {
			return r.log.messages("games in progress not saved: after a crash, their evaluations and clocks are lost") == 1
		})
		r.must(os.Remove(dir))
		r.must(os.Rename(aside, dir))
		if text := r.archivedIn(dir); strings.Count(text, "[GameId \""+id+"\"]") != 1 {
			t.Errorf("the archive holds\n%s", text)
		}
		synctest.Wait()
		if s := b.Status().Records; s != (record.Backlog{}) {
			t.Errorf("afterwards the status is %+v", s)
		}
		r.must(os.RemoveAll(dir))
		r.until("the folder is made again", func() bool { return record.InUse(dir) })
	})
}
