package web

import (
	"encoding/json"
	"net/http"
	"time"
)

// SendJSON answers with a value as JSON, which a client must read within [WriteTimeout].
func SendJSON(w http.ResponseWriter, status int, v any) {
	encoded, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	// The error is that the writer has no deadlines, as in tests.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(WriteTimeout))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encoded) // the client may be gone
}
