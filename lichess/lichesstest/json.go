package lichesstest

import (
	"encoding/json"
	"net/http"
	"time"
)

// object is a JSON object under construction.
type object map[string]any

// reply answers with JSON.
func reply(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // objects hold nothing that cannot be encoded
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that went away is no error of ours
}

func ok(w http.ResponseWriter) { reply(w, http.StatusOK, object{"ok": true}) }

func refuse(w http.ResponseWriter, status int, text string) {
	reply(w, status, object{"error": text})
}

// limit refuses what was done too often, and says which limit that is about and when
// it ends.
func limit(w http.ResponseWriter, text, key string, wait time.Duration) {
	reply(w, http.StatusTooManyRequests, object{
		"error": text, "ratelimit": object{"key": key, "seconds": int(wait / time.Second)},
	})
}

// refuseForm answers as Lichess does when form fields are wrong: "error" is an
// object then, and the fields stand at the top level as well.
func refuseForm(w http.ResponseWriter, field, text string) {
	reply(w, http.StatusBadRequest, object{"error": object{field: []string{text}}, field: []string{text}})
}

// tooManyRequests is what Lichess says to most of those it limits.
const tooManyRequests = "Too many requests. Try again later."

// encode turns an event into a line of a stream.
func encode(v any) []byte {
	line, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return append(line, '\n')
}
