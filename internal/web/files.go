package web

import (
	"bytes"
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

// sharedDir is the folder of the shared files.
const sharedDir = "static"

// Files are the files of a page: its own, and those that all pages share.
type Files struct {
	files   map[string]file
	version string
}

// file is a file of a page.
type file struct {
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

// index is the HTML of a page.
const index = "index.html"

// NewFiles returns the shared files and those in a folder of a page, one of which is
// index.html.
func NewFiles(own fs.FS, dir string) (*Files, error) {
	f := &Files{files: map[string]file{}}
	for _, from := range []struct {
		fsys fs.FS
		dir  string
	}{{shared, sharedDir}, {own, dir}} {
		if err := f.add(from.fsys, from.dir); err != nil {
			return nil, err
		}
	}
	page, ok := f.files[index]
	if !ok {
		return nil, fmt.Errorf("no %s in %s", index, dir)
	}
	page.content = bytes.Replace(page.content, []byte(placeholder), f.files["pieces.svg"].content, 1)
	f.files[index] = page
	sum := sha256.New()
	for _, name := range f.Names() {
		fmt.Fprintf(sum, "%s %d\n", name, len(f.files[name].content))
		sum.Write(f.files[name].content)
	}
	f.version = hex.EncodeToString(sum.Sum(nil)[:8])
	return f, nil
}

// add adds the files of a folder.
func (f *Files) add(fsys fs.FS, dir string) error {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		contentType, known := contentTypes[path.Ext(e.Name())]
		if !known {
			return fmt.Errorf("%s: unknown content type", e.Name())
		}
		if _, twice := f.files[e.Name()]; twice {
			return fmt.Errorf("%s: the page and all pages have a file of this name", e.Name())
		}
		content, err := fs.ReadFile(fsys, path.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		f.files[e.Name()] = file{contentType, content}
	}
	return nil
}

// Version returns a hash of all files.
func (f *Files) Version() string { return f.version }

// Names returns the names of all files, sorted.
func (f *Files) Names() []string { return slices.Sorted(maps.Keys(f.files)) }

// Content returns a file as it is served, nil if there is none of this name. The caller
// must not change it.
func (f *Files) Content(name string) []byte { return f.files[name].content }

// ServeHTTP serves the file that the path value "name" names, and the HTML at "/".
func (f *Files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if r.URL.Path == "/" {
		name = index
	}
	found, known := f.files[name]
	if !known {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", found.contentType)
	w.Header().Set("ETag", `"`+f.version+`"`)
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(found.content))
}
