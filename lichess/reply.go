package lichess

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// judge reads an answer: nil and the request's data filled in, or an error.
func (c *Client) judge(r request, status int, h http.Header, body []byte) error {
	if status < 200 || status > 299 {
		return c.refusal(r.endpoint, status, h, body)
	}
	if r.early {
		c.gates.proved(r.endpoint)
	}
	c.gates.opened(r.endpoint)
	if r.raw != nil {
		*r.raw = body
	}
	if r.into == nil {
		return nil
	}
	if err := json.Unmarshal(body, r.into); err != nil {
		return fmt.Errorf("%s: answer %d is not what it should be: %w", r.endpoint, status, err)
	}
	return nil
}

// refusal returns the error for an answer that is no success, and closes the
// class after a 429.
func (c *Client) refusal(e endpoint, status int, h http.Header, body []byte) error {
	refused := parseRefusal([]byte(c.token.scrub(string(body))))
	refused.Endpoint, refused.StatusCode = e.String(), status
	if to := h.Get("Location"); refused.Is(ErrRedirect) {
		refused.Message = fmt.Sprintf("redirect to %q, which is never followed: set the server's URL to where it really is", excerpt(c.token.scrub(to)))
	}
	if refused.Message == "" {
		refused.Message = http.StatusText(status)
	}
	refused.Message = excerpt(refused.Message)
	switch {
	case status == http.StatusTooManyRequests:
		return c.limited(e, h, refused)
	case status == http.StatusForbidden:
		return c.forbidden(h, refused)
	}
	return refused
}

// forbidden names the scope if that is what a 403 is about. The headers alone do
// not say so: they come with every answer to a token.
func (c *Client) forbidden(h http.Header, refused *APIError) error {
	accepted := splitList(excerpt(c.token.scrub(h.Get("X-Accepted-OAuth-Scopes"))))
	has := splitList(excerpt(c.token.scrub(h.Get("X-OAuth-Scopes"))))
	if _, named, found := strings.Cut(refused.Message, "Missing scope: "); found {
		accepted = splitList(named)
	}
	enough := func(scope string) bool { return slices.Contains(has, scope) }
	if len(accepted) == 0 || slices.ContainsFunc(accepted, enough) {
		return refused
	}
	return &ScopeError{Accepted: accepted, Has: has, answer: refused}
}

// limited closes the class that a 429 is about.
func (c *Client) limited(e endpoint, h http.Header, refused *APIError) error {
	class, key := e, ""
	if refused.Limit != nil {
		key = excerpt(refused.Limit.Key)
	}
	if key == BotGamesLimit {
		class = botGames
	}
	wait := c.gates.shut(class, waitOf(h, refused.Limit), key)
	return &RateLimitError{Endpoint: e.String(), RetryAfter: wait, Key: key}
}

// parseRefusal reads what a refusal says. Lichess sends {"error": text} or
// {"error": {field: [text]}}; what stands before it may send HTML.
func parseRefusal(body []byte) *APIError {
	var parts struct {
		Error json.RawMessage `json:"error"`
		Limit json.RawMessage `json:"ratelimit"`
	}
	if json.Unmarshal(body, &parts) != nil {
		return &APIError{Message: plainMessage(string(body))}
	}
	refused := &APIError{Explained: parts.Error != nil}
	if json.Unmarshal(parts.Error, &refused.Message) != nil {
		refused.Fields = parseFields(parts.Error)
		refused.Message = joinFields(refused.Fields)
	}
	if json.Unmarshal(parts.Limit, &refused.Limit) != nil {
		refused.Limit = nil
	}
	return refused
}

// plainMessage returns what is worth showing of an answer that is not JSON.
func plainMessage(body string) string {
	body = strings.TrimSpace(body)
	if strings.HasPrefix(body, "<") {
		return "a web page instead of an answer"
	}
	return body
}

// parseFields reads complaints by form field; one or a list of them.
func parseFields(raw json.RawMessage) map[string][]string {
	var parts map[string]json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	fields := make(map[string][]string, len(parts))
	for name, part := range parts {
		var one string
		var many []string
		if json.Unmarshal(part, &one) == nil {
			many = []string{one}
		} else if json.Unmarshal(part, &many) != nil {
			many = []string{string(part)}
		}
		fields[name] = many
	}
	return fields
}

// joinFields writes the complaints on one line.
func joinFields(fields map[string][]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		parts = append(parts, name+": "+strings.Join(fields[name], ", "))
	}
	return strings.Join(parts, "; ")
}
