package bot

import (
	"os"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A disk that takes nothing stands before no move: while a finished game and the
// state file wait for it, a game goes on, another begins, and the event stream is
// opened again.
func TestGame_DiskStuck(t *testing.T) {
	r := newRig(t, lichesstest.Options{})
	dir := t.TempDir()
	archive, shut := openArchive(t, dir)
	defer shut()
	state, err := record.OpenState(dir)
	if err != nil {
		t.Fatal(err)
	}
	stuck, free := make(chan string, 100), make(chan struct{})
	sync := func(f *os.File) error {
		stuck <- f.Name()
		<-free
		return f.Sync()
	}
	archive.SetSync(sync)
	state.SetSync(sync)
	r.state = state
	b := r.start(func(b *Bot) { b.opts.Archive, b.opts.Engine = archive, &fakeEngine{peace: 1000} })
	defer b.halt()
	defer close(free)
	first, second := r.challengeAsHuman(withColor(blitz, "white")), r.challengeAsBot(withColor(blitz, "white"))
	first.play(0, "e2e4")
	second.play(0, "d2d4")
	r.plies(first.id, 2)
	first.perform(lichesstest.Action{Resign: true})
	eventually(t, "the archive waits for the disk", func() bool {
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
	r.Faults.CutStreams(1)
	id := r.Challenge(humanName, botName, withColor(blitz, "black"))
	r.plies(id, 1)
	r.Restart(0)
	eventually(t, "the event stream is open again", func() bool { return r.requests(endpointEventStream) > opened })
	second.play(4, "b1c3")
	r.plies(second.id, 6)
	if archivedGames(t, dir) != "" && journalText(dir, first.id) == "" {
		t.Error("the disk was not stuck")
	}
	r.checkNoViolations()
}
