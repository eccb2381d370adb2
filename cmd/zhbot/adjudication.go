package main

import (
	"fmt"
	"strconv"
	"strings"
)

// parseResign parses --resign.
func (f *matchFlags) parseResign(text string) error {
	var score, moves int
	err := parseRule(text, map[string]*int{"score": &score, "movecount": &moves})
	if err != nil || score < 1 || moves < 1 {
		return fmt.Errorf("%q: want score and movecount, both at least 1, such as score=1200,movecount=2", text)
	}
	f.match.Adjudication.Score, f.match.Adjudication.Plies = score, 2*moves
	f.rules += ", resign " + text
	return nil
}

// parseDraw parses --draw.
func (f *matchFlags) parseDraw(text string) error {
	score, moves, first := -1, 0, 1
	err := parseRule(text, map[string]*int{"score": &score, "movecount": &moves, "movenumber": &first})
	if err != nil || score < 0 || moves < 1 || first < 1 {
		return fmt.Errorf("%q: want score, movecount and, if not from the first, movenumber, "+
			"such as score=10,movecount=8,movenumber=40", text)
	}
	d := &f.match.Adjudication.Draw
	d.Score, d.Plies, d.From = score, 2*moves, 2*(first-1)
	f.rules += ", draw " + text
	return nil
}

// parseRule parses numbers by name, in any order: name=number, separated by commas.
func parseRule(text string, numbers map[string]*int) error {
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.Atoi(value)
		if err != nil || numbers[name] == nil || n > 1_000_000 {
			return fmt.Errorf("rule %q", part)
		}
		*numbers[name] = n
		delete(numbers, name) // once
	}
	return nil
}
