package web_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/internal/web/live"
	"github.com/zhbot/zhbot/internal/web/play"
	"github.com/zhbot/zhbot/rules"
)

var (
	loads        = regexp.MustCompile(`(?:src|href)="(/[^"]*)"|from "\./([^"]*)"`)
	otherHosts   = regexp.MustCompile(`(?i)(src|href|url\()\W{0,2}(https?:)?//`)
	parsesMarkup = regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function`)
)

// Everything that the files of a page load is served by it, nothing is loaded from another host,
// and no script parses text as markup.
func TestPages(t *testing.T) {
	bots := live.Options{Listen: "127.0.0.1:8080", Status: func() bot.Status { return bot.Status{} }}
	livePage, err1 := live.New(bots)
	playPage, err2 := play.New(play.Options{Listen: "127.0.0.1:8081"}, play.Settings{Start: rules.StartPosition()})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	defer playPage.Close()
	for p, least := range map[*web.Page]int{livePage.Page: 15, playPage.Page: 20} {
		if followed := checkFiles(t, p); followed < least {
			t.Errorf("only %d files loaded, want %d", followed, least)
		}
	}
}

// checkFiles checks the files of a page, and returns how many references it has followed.
func checkFiles(t *testing.T, p *web.Page) (followed int) {
	status := func(path string) (int, string) {
		w := httptest.NewRecorder()
		p.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
		return w.Code, w.Body.String()
	}
	if code, html := status("/"); code != http.StatusOK || !strings.Contains(html, `<symbol id="piece-k"`) {
		t.Errorf("status %d, page without pieces:\n%s", code, html)
	}
	for name, content := range p.Files.Content {
		if otherHosts.Match(content) {
			t.Errorf("%s loads from another host", name)
		}
		if parsesMarkup.Match(content) {
			t.Errorf("%s parses text as markup or code", name)
		}
		for _, m := range loads.FindAllSubmatch(content, -1) {
			path := string(m[1])
			if path == "" {
				path = "/static/" + string(m[2])
			}
			followed++
			if code, _ := status(path); code != http.StatusOK {
				t.Errorf("%s loads %s: status %d", name, path, code)
			}
		}
	}
	return followed
}
