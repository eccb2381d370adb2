package config

import (
	"reflect"
	"slices"
)

// Diff returns the keys of the settings that differ.
func Diff(a, b *Config) []string {
	_, changed, later := a.Reload(b)
	return slices.Concat(changed, later)
}

// Reload returns the settings in force once others are loaded while the bot runs, with the
// keys of those that change and of those that will only at the next start.
func (c *Config) Reload(next *Config) (inForce *Config, changed, later []string) {
	inForce = new(*next)
	before := c.settings()
	for i, s := range inForce.settings() {
		switch old := before[i].Value; {
		case equal(old, s.Value):
		case s.reloads != "":
			changed = append(changed, s.key)
		default:
			later = append(later, s.key)
			s.Set(old)
		}
	}
	return inForce, changed, later
}

// Reloaded returns the sections and settings that can change while the bot runs.
func Reloaded() (names []string) {
	for _, s := range new(Config).settings() {
		if s.reloads != "" && !slices.Contains(names, s.reloads) {
			names = append(names, s.reloads)
		}
	}
	return names
}

// equal compares two values of a setting; no list is an empty one.
func equal(a, b reflect.Value) bool {
	if a.Kind() == reflect.Slice && a.Len()+b.Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}
