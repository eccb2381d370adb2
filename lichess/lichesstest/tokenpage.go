package lichesstest

import (
	"fmt"
	"slices"
	"strings"
)

// SetGuide sets what the server's page says of its use, which ends with an empty line.
func (s *Server) SetGuide(text string) { s.do(func() { s.guide = text }) }

// tokenPage says what this server is. It also stands for the page on which an owner creates
// tokens: nobody signs in here, so it shows all tokens that there are.
func (s *Server) tokenPage(*request) any {
	var lines []string
	for _, t := range s.tokens {
		if !t.expired() {
			lines = append(lines, fmt.Sprintf("%-20s %s %s\n", t.user.name, t.text, strings.Join(t.scopes, " ")))
		}
	}
	slices.Sort(lines)
	return document{"text/plain; charset=utf-8", []byte("This is an embedded Lichess, on which zhbot is tested.\n\n" +
		s.guide + "Its accounts and their tokens, which are worth nothing elsewhere:\n\n" + strings.Join(lines, ""))}
}
