package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
)

//go:embed static
var static embed.FS

// asset is a file of the page.
type asset struct {
	kind    string
	content []byte
}

// kinds are the files of the page by their ending. The system's own table of
// types is not asked: a wrong entry there would break the page.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// mark is where the page's HTML takes in the pieces.
const mark = "<!-- pieces -->"

// loadAssets returns the files by name, and what tells this edition of them from
// any other.
func loadAssets() (files map[string]asset, edition string, err error) {
	files = map[string]asset{}
	sum := sha256.New()
	entries, err := static.ReadDir("static")
	if err != nil {
		return nil, "", err
	}
	for _, e := range entries {
		kind, known := kinds[path.Ext(e.Name())]
		if !known {
			return nil, "", fmt.Errorf("%s: no type for this file", e.Name())
		}
		content, err := fs.ReadFile(static, "static/"+e.Name())
		if err != nil {
			return nil, "", err
		}
		sum.Write(content)
		files[e.Name()] = asset{kind, content}
	}
	page := files[index]
	page.content = bytes.Replace(page.content, []byte(mark), files["pieces.svg"].content, 1)
	files[index] = page
	return files, hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

const index = "index.html"

// file sends a file of the page.
func (p *Page) file(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if r.URL.Path == "/" {
		name = index
	}
	a, known := p.assets[name]
	if !known {
		http.NotFound(w, r)
		return
	}
	tag := `"` + p.edition + `"`
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "no-cache")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(a.content) // a viewer that is gone needs no answer
}
