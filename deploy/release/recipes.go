package main

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

// recipeFiles are the templates of what other systems install a release by: a Homebrew
// formula, and a package of the Arch User Repository with its summary.
//
//go:embed recipes
var recipeFiles embed.FS

// recipeNames are the templates, with the names that they get in a release.
var recipeNames = map[string]string{"zhbot.rb": "zhbot.rb", "PKGBUILD": "PKGBUILD", "SRCINFO": "zhbot-bin.SRCINFO"}

// recipe is what the templates are filled with.
type recipe struct {
	Tag      string
	archives map[string]archiveSum // by target
}

// archiveSum is an archive of the release with its SHA-256 sum.
type archiveSum struct{ name, sum string }

// Number is the version without the letter before it.
func (r *recipe) Number() string { return strings.TrimPrefix(r.Tag, "v") }

// PackageVersion is the version as Arch Linux allows it.
func (r *recipe) PackageVersion() string { return strings.ReplaceAll(r.Number(), "-", "_") }

// URL is the URL of the release's archive for a target.
func (r *recipe) URL(target string) (string, error) {
	a, err := r.archive(target)
	return fmt.Sprintf("https://github.com/zhbot/zhbot/releases/download/%s/%s", r.Tag, a.name), err
}

// Sum is the SHA-256 sum of the archive for a target.
func (r *recipe) Sum(target string) (string, error) {
	a, err := r.archive(target)
	return a.sum, err
}

// Folder is the top folder in the archive for a target.
func (r *recipe) Folder(target string) (string, error) {
	a, err := r.archive(target)
	return strings.TrimSuffix(a.name, ".tar.gz"), err
}

func (r *recipe) archive(target string) (archiveSum, error) {
	a, ok := r.archives[target]
	if !ok {
		return a, fmt.Errorf("no archive for %s", target)
	}
	return a, nil
}

// write fills the templates and returns the names of the files.
func (r *recipe) write(dir string) (names []string, err error) {
	all, err := template.ParseFS(recipeFiles, "recipes/*")
	if err != nil {
		return nil, err
	}
	for _, t := range all.Templates() {
		var text bytes.Buffer
		if err := t.Execute(&text, r); err != nil {
			return nil, err
		}
		name := recipeNames[t.Name()]
		if err := os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o644); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}
