package lichesstest

import (
	"encoding/json"
	"net/http"
	"time"
)

// object is a JSON object under construction.
type object map[string]any

// writeJSON responds with JSON.
func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // objects hold nothing that cannot be encoded
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
}

func writeOK(w http.ResponseWriter) { writeJSON(w, http.StatusOK, object{"ok": true}) }

func writeError(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, object{"error": text})
}

// writeRateLimit responds with 429, the key of the exceeded limit and the wait.
func writeRateLimit(w http.ResponseWriter, text, key string, wait time.Duration) {
	writeJSON(w, http.StatusTooManyRequests, object{
		"error": text, "ratelimit": object{"key": key, "seconds": int(wait / time.Second)},
	})
}

// writeFormError responds as Lichess does to invalid form fields: "error" is an
// object, and the fields are repeated at the top level.
func writeFormError(w http.ResponseWriter, field, text string) {
	writeJSON(w, http.StatusBadRequest, object{"error": object{field: []string{text}}, field: []string{text}})
}

// tooManyRequests is Lichess's usual text of a 429.
const tooManyRequests = "Too many requests. Try again later."

// encodeLine encodes an event as a line of a stream.
func encodeLine(v any) []byte {
	line, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return append(line, '\n')
}
