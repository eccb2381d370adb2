package record

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
)

func TestUsersFile(t *testing.T) {
	dir := t.TempDir()
	open := func() UsersFile {
		t.Helper()
		f, err := OpenUsers(dir)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := open()
	before := f.Users()
	for _, set := range []struct {
		user      string
		list, was UserList
	}{
		{"Pest", Blocked, ""}, {"friend", Allowed, ""}, {"PEST", Allowed, Blocked}, {"pest", Blocked, Allowed},
		{"friend", "", Allowed}, {"nobody", "", ""},
	} {
		if was, err := f.Set(set.user, set.list); was != set.was || err != nil {
			t.Errorf("%+v: was on %q, %v", set, was, err)
		}
	}
	for name, users := range map[string]Users{"this run": f.Users(), "the next one": open().Users()} {
		if len(users) != 1 || users.ListOf(&lichess.Player{Name: "pEst"}) != Blocked ||
			users.ListOf(new(lichess.Player)) != "" {
			t.Errorf("%s has %v", name, users)
		}
	}
	if len(before) != 0 {
		t.Errorf("lists that were read have changed: %v", before)
	}
}

// A file edited by hand may have names, and nothing at all.
func TestReadUsers(t *testing.T) {
	dir := t.TempDir()
	if users, err := ReadUsers(dir); len(users) != 0 || err != nil {
		t.Errorf("without a file: %v, %v", users, err)
	}
	for _, tt := range []struct {
		text    string
		want    UserList
		damaged bool
	}{{`{"Pest": "block"}`, Blocked, false}, {"null", "", false}, {`{"pest": 1}`, "", true},
		{`{"friend": 1, "pest": "block", "other": {}}`, Blocked, true}, {"{", "", true}} {
		text, want := tt.text, tt.want
		fixture.Write(t, filepath.Join(dir, usersFileName), text)
		users, err := ReadUsers(dir)
		if got := users["pest"]; got != want || (err != nil) != tt.damaged || len(users) > 1 {
			t.Errorf("%s: %q, %v", text, got, err)
		}
		if kept, err := os.ReadFile(filepath.Join(dir, usersFileName)); err != nil || string(kept) != text {
			t.Errorf("reading has changed the file to %q, %v", kept, err)
		}
	}
	if f, err := OpenUsers(dir); err == nil || !f.IsStored() {
		t.Errorf("a damaged file is no error, or keeps the next from being written: %v", err)
	}
}
