package lichesstest

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	secrets = regexp.MustCompile(`lip_\w*`)
	// varying are the fields whose texts differ between answers of one shape.
	varying = strings.Fields(`id fullId gameId userId tournamentId rematch rematchOf url playing moves fen lastMove
		name username user text error startsAt`)
)

// shape leaves out of JSON the numbers, and the texts that vary.
func shape(text string) string {
	parts := strings.Split(text, `"`) // every second one is a text
	for i, part := range slices.Backward(parts) {
		if i%2 == 0 {
			parts[i] = strings.Trim(part, ":,-.0123456789")
		} else if parts[i-1] == ":" && slices.Contains(varying, parts[i-2]) {
			parts[i] = ""
		}
	}
	return strings.Join(parts, `"`)
}

// record saves what CI compares of a request and its answer, or a line of it, with Lichess's
// OpenAPI document, in a file that is named after the shape of both, unless there is one.
func (s *Server) record(r *http.Request, status int, contentType string, body []byte) {
	if s.opts.Exchanges == "" || !json.Valid(body) {
		return
	}
	query, form := r.URL.Query(), maps.Clone(r.Form)
	maps.DeleteFunc(form, func(key string, _ []string) bool { return query.Has(key) })
	exchange := object{
		"endpoint": r.Pattern, "query": slices.Sorted(maps.Keys(query)), "form": slices.Sorted(maps.Keys(form)),
		"status": status, "type": contentType, "body": json.RawMessage(body),
	}
	if r.ContentLength > 0 {
		exchange["sent"], _, _ = mime.ParseMediaType(r.Header.Get("Content-Type"))
	}
	text := secrets.ReplaceAllString(string(encode(exchange)), "lip_")
	name := fmt.Sprintf("%x.json", sha256.Sum256([]byte(shape(text))))
	file, err := os.OpenFile(filepath.Join(s.opts.Exchanges, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return
	}
	if err == nil {
		_, err = file.WriteString(text)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		panic(err) // or CI would compare less than there was
	}
}
