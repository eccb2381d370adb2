package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"time"
)

//go:embed static
var shared embed.FS

// Files are the files of a page: its own, and those that all pages share.
type Files struct {
	Content map[string][]byte // as it is served, by name
	Version string            // a hash of all
}

// contentTypes maps file extensions to content types. The table of the system is not
// used: a wrong entry in it would break the page.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".txt": "text/plain; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png",
}

// rootFiles are the files at paths of their own, which are the same for all pages.
var rootFiles = map[string]string{"/": index, faviconPath: "icon.png", robotsPath: "robots.txt"}

const (
	faviconPath = "/favicon.ico" // for browsers that show no SVG as an icon
	robotsPath  = "/robots.txt"
)

const (
	dir         = "static"          // of the files
	index       = "index.html"      // the HTML of a page
	placeholder = "<!-- pieces -->" // replaced by the SVG symbols of the pieces in the HTML
)

// NewFiles returns the shared files and those of a page, one of which is index.html.
func NewFiles(own fs.FS) (*Files, error) {
	f := &Files{Content: map[string][]byte{}}
	for _, from := range []fs.FS{shared, own} {
		entries, err := fs.ReadDir(from, dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := e.Name()
			switch {
			case contentTypes[path.Ext(name)] == "":
				return nil, fmt.Errorf("%s: unknown content type", name)
			case f.Content[name] != nil:
				return nil, fmt.Errorf("%s: the page and all pages have a file of this name", name)
			}
			if f.Content[name], err = fs.ReadFile(from, path.Join(dir, name)); err != nil {
				return nil, err
			}
		}
	}
	if f.Content[index] == nil {
		return nil, fmt.Errorf("the page has no %s", index)
	}
	f.Content[index] = bytes.Replace(f.Content[index], []byte(placeholder), f.Content["pieces.svg"], 1)
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f.Content)) {
		fmt.Fprintf(sum, "%s %d\n", name, len(f.Content[name]))
		sum.Write(f.Content[name])
	}
	f.Version = hex.EncodeToString(sum.Sum(nil)[:8])
	return f, nil
}

// ServeHTTP serves the file of a path in [rootFiles], or else the one that the path value
// "name" names.
func (f *Files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := cmp.Or(rootFiles[r.URL.Path], r.PathValue("name"))
	content := f.Content[name]
	if content == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", contentTypes[path.Ext(name)])
	w.Header().Set("ETag", `"`+f.Version+`"`)
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}
