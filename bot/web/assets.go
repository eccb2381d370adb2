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
	"time"
)

//go:embed static
var static embed.FS

// asset is a file of the page.
type asset struct {
	contentType string
	content     []byte
}

// contentTypes maps file extensions to content types. The table of the system is not
// used: a wrong entry in it would break the page.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// placeholder is replaced by the SVG symbols of the pieces in the HTML.
const placeholder = "<!-- pieces -->"

// loadAssets returns the files by name, and a version that is a hash of them all.
func loadAssets() (files map[string]asset, version string, err error) {
	files = map[string]asset{}
	sum := sha256.New()
	entries, err := static.ReadDir("static")
	if err != nil {
		return nil, "", err
	}
	for _, e := range entries {
		contentType, known := contentTypes[path.Ext(e.Name())]
		if !known {
			return nil, "", fmt.Errorf("%s: unknown content type", e.Name())
		}
		content, err := fs.ReadFile(static, "static/"+e.Name())
		if err != nil {
			return nil, "", err
		}
		sum.Write(content)
		files[e.Name()] = asset{contentType, content}
	}
	page := files[index]
	page.content = bytes.Replace(page.content, []byte(placeholder), files["pieces.svg"].content, 1)
	files[index] = page
	return files, hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

const index = "index.html"

// serveAsset serves a file of the page.
func (p *Page) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if r.URL.Path == "/" {
		name = index
	}
	a, known := p.assets[name]
	if !known {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", a.contentType)
	w.Header().Set("ETag", `"`+p.assetsVersion+`"`)
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(a.content))
}
