package record

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/lichess"
)

// usersFileName is the name of the operator's lists in the folder of records.
const usersFileName = "users.json"

// UserList is one of the operator's lists of users.
type UserList string

// The operator's lists.
const (
	Blocked UserList = "block" // users whose challenges are declined, and who are not challenged
	Allowed UserList = "allow" // users whose challenges are accepted whatever the terms
)

// Users are the users on the operator's lists, by id. They are replaced, never changed.
type Users map[string]UserList

// ListOf returns the list that a player is on, "" for none.
func (u Users) ListOf(p *lichess.Player) UserList {
	return cmp.Or(u[strings.ToLower(p.ID)], u[strings.ToLower(p.Name)])
}

// UsersFile keeps the operator's lists in users.json: not in the state file, whose loss
// must unblock nobody, nor in the config file, which the bot may be unable to write.
type UsersFile struct{ *Stored[Users] }

// InMemoryUsers returns empty lists that are not written to disk.
func InMemoryUsers() UsersFile { return UsersFile{newStored[Users](usersFileName)} }

// OpenUsers opens the lists in a folder, as [OpenState] does the state.
func OpenUsers(dir string) (UsersFile, error) {
	f, err := openStored[Users](dir, usersFileName)
	f.data = f.data.normalize()
	return UsersFile{f}, err
}

// ReadUsers returns the lists in a folder, and leaves the file as it is.
func ReadUsers(dir string) (Users, error) {
	u, err := file.ReadJSON[Users](filepath.Join(dir, usersFileName))
	return u.normalize(), err
}

// normalize returns a copy with ids as keys where a file edited by hand has names, and without
// users on no list.
func (u Users) normalize() Users {
	ids := make(Users, len(u))
	for name, list := range u {
		if list != "" {
			ids[strings.ToLower(name)] = list
		}
	}
	return ids
}

// Users returns the lists.
func (f UsersFile) Users() (users Users) {
	f.View(func(u *Users) { users = *u })
	return users
}

// Set moves a user to a list, "" for none, and returns the one before. With an error, it does
// so until the program ends.
func (f UsersFile) Set(user string, list UserList) (was UserList, err error) {
	id := strings.ToLower(user)
	err = f.UpdateDurably(func(u *Users) {
		was = (*u)[id]
		next := u.normalize() // a copy
		if next[id] = list; list == "" {
			delete(next, id)
		}
		*u = next
	})
	return was, err
}
