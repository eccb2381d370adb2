package live

import (
	"testing"

	"github.com/zhbot/zhbot/internal/web/webtest"
)

// Everything that the page loads exists, and nothing is loaded from another host.
func TestPage_Files(t *testing.T) {
	p := newTestPage(t, Options{})
	if followed := webtest.CheckFiles(t, p.Page); followed < 15 {
		t.Errorf("only %d files loaded", followed)
	}
}
