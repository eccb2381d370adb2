package mover

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
)

// inherited are the variables of the environment that a child may see, besides the locale's.
// All others stay here: the token may be in any of them.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "SYSTEMROOT",
	"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS",
}

// environment returns the part of an environment that a child gets.
func environment(all []string) []string {
	kept := []string{}
	for _, variable := range all {
		name, _, _ := strings.Cut(variable, "=")
		name = strings.ToUpper(name) // as Windows sees it
		if slices.Contains(inherited, name) || strings.HasPrefix(name, "LC_") {
			kept = append(kept, variable)
		}
	}
	return kept
}

// Limits on the logging of a child's standard error.
const (
	maxStderrLine  = 300 // bytes; the rest of a line is cut
	stderrBurst    = 100 // lines in each
	stderrInterval = time.Minute
)

// stderrLog logs each line of a child's standard error.
type stderrLog struct {
	log  zerolog.Logger
	line []byte // the beginning of an unfinished one
}

func newStderrLog(log zerolog.Logger) io.Writer {
	return &stderrLog{log: log.Sample(&zerolog.BurstSampler{Burst: stderrBurst, Period: stderrInterval})}
}

// Write never fails: the child must not notice that nobody reads.
func (s *stderrLog) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		s.line = append(s.line, part[:min(len(part), maxStderrLine-len(s.line))]...)
		if ended {
			s.log.Debug().Str("text", strings.ToValidUTF8(string(s.line), "?")).Msg("engine program wrote to standard error")
			s.line = s.line[:0]
		}
		rest = after
	}
	return len(b), nil
}

// maxName bounds the name of a program, in characters.
const maxName = 60
