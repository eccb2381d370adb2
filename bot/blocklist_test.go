package bot

import (
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// blocklistServer serves a block list.
type blocklistServer struct {
	*httptest.Server
	source challenge.BlockSource

	mu   sync.Mutex
	seen strings.Builder // headers of the requests
}

func newBlocklistServer(t *testing.T, text string) *blocklistServer {
	t.Helper()
	s := new(blocklistServer)
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		fmt.Fprintln(&s.seen, r.Header)
		s.mu.Unlock()
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	s.source = challenge.BlockSource{URL: s.URL, Refresh: time.Hour}
	return s
}

func (s *blocklistServer) headers() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.String()
}

// TestBot_Blocklist shows the list at work: from the server, and from another
// one after the settings changed.
func TestBot_Blocklist(t *testing.T) {
	first, second := newBlocklistServer(t, "pest\n"), newBlocklistServer(t, "worse\n")
	r := newRig(t, lichesstest.Options{})
	for _, name := range []string{"pest", "worse", "friend"} {
		r.AddHuman(name, lichesstest.Idle())
	}
	roots := x509.NewCertPool()
	roots.AddCert(first.Certificate())
	roots.AddCert(second.Certificate())
	r.blocklist = challenge.BlocklistOptions{RootCAs: roots}
	bot := r.start(func(b *Bot) {
		b.settings().Blocklist = first.source
		b.settings().Policy.Allow = []string{"friend"}
	})
	eventually(t, "the list is read", func() bool { return bot.blocklist.Has(&lichess.Player{ID: "pest"}) })
	r.Challenge("pest", botName, blitz)
	r.declined("generic", 1)
	o := *bot.settings()
	o.Blocklist = second.source
	bot.Reload(o)
	eventually(t, "the other list is read", func() bool { return bot.blocklist.Has(&lichess.Player{ID: "worse"}) })
	r.Challenge("worse", botName, blitz)
	r.declined("generic", 2)
	id := r.Challenge("pest", botName, withColor(blitz, "white"))
	eventually(t, "who is on no list may play", func() bool { return slices.Equal(bot.Running(), []string{id}) })
	if seen := first.headers() + second.headers(); seen == "" || strings.Contains(seen, r.token) {
		t.Errorf("the servers of the lists were sent %s", seen)
	}
}
