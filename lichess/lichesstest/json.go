package lichesstest

import (
	"encoding/json"
	"net/http"
)

// object is a JSON object under construction.
type object map[string]any

// add sets a field that Lichess leaves out where it is empty, zero or false.
func add[T comparable](o object, field string, value T) {
	var zero T
	if value != zero {
		o[field] = value
	}
}

// done is the answer to a command.
var done = object{"ok": true}

// The types of answers: a JSON value, or lines of them.
const jsonType, linesType = "application/json", "application/x-ndjson"

// document is an answer that is not a JSON value.
type document struct {
	contentType string
	body        []byte
}

// ndjson is a document of lines.
func ndjson(list []object) document {
	d := document{contentType: linesType}
	for _, o := range list {
		d.body = append(d.body, encodeLine(o)...)
	}
	return d
}

// refusal is an error response.
type refusal struct {
	status int
	body   object
}

// refuse returns an error response with a text.
func refuse(status int, text string) *refusal { return &refusal{status, object{"error": text}} }

// badRequest refuses a request that cannot be fulfilled.
func badRequest(text string) *refusal { return refuse(http.StatusBadRequest, text) }

// notFound refuses a request for what is unknown, or not the user's.
func notFound(text string) *refusal { return refuse(http.StatusNotFound, text) }

// invalidField refuses an invalid form as Lichess does: "error" is an object, and the
// fields are repeated at the top level.
func invalidField(field, text string) *refusal {
	return &refusal{http.StatusBadRequest, object{"error": object{field: []string{text}}, field: []string{text}}}
}

// tooManyRequests is Lichess's usual text of a 429.
const tooManyRequests = "Too many requests. Try again later."

// writeJSON responds with JSON.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(status)
	_, _ = w.Write(encode(v)) // the client may be gone
}

// encodeLine encodes an event as a line of a stream.
func encodeLine(v any) []byte { return append(encode(v), '\n') }

func encode(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // objects hold nothing that cannot be encoded
	}
	return body
}
