package lichess

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// decodeResponse decodes a successful response into the request's result, or
// returns the error of another.
func (c *Client) decodeResponse(r request, status int, h http.Header, body []byte) error {
	if status < 200 || status > 299 {
		return c.apiError(r.endpoint, status, h, body)
	}
	if r.early {
		c.limiter.unblock(r.endpoint)
	}
	c.limiter.succeeded(r.endpoint)
	if r.raw != nil {
		*r.raw = body
	}
	if r.into == nil {
		return nil
	}
	if err := json.Unmarshal(body, r.into); err != nil {
		return fmt.Errorf("%s: invalid response (status %d): %w", r.endpoint, status, err)
	}
	return nil
}

// apiError returns the error of an unsuccessful response, and blocks the class after
// a 429.
func (c *Client) apiError(e endpoint, status int, h http.Header, body []byte) error {
	apiErr := parseAPIError([]byte(c.token.redact(string(body))))
	apiErr.Endpoint, apiErr.StatusCode = e.String(), status
	if to := h.Get("Location"); apiErr.Is(ErrRedirect) {
		apiErr.Message = fmt.Sprintf("redirect to %q, which is never followed: set the server's URL to where it really is", excerpt(c.token.redact(to)))
	}
	if apiErr.Message == "" {
		apiErr.Message = http.StatusText(status)
	}
	apiErr.Message = excerpt(apiErr.Message)
	switch {
	case status == http.StatusTooManyRequests:
		return c.rateLimitError(e, h, apiErr)
	case status == http.StatusForbidden:
		return c.forbiddenError(h, apiErr)
	}
	return apiErr
}

// forbiddenError returns a [*ScopeError] if a scope is missing. The headers alone do
// not tell: they come with every response to a token.
func (c *Client) forbiddenError(h http.Header, apiErr *APIError) error {
	accepted := splitList(excerpt(c.token.redact(h.Get("X-Accepted-OAuth-Scopes"))))
	has := splitList(excerpt(c.token.redact(h.Get("X-OAuth-Scopes"))))
	if _, required, found := strings.Cut(apiErr.Message, "Missing scope: "); found {
		accepted = splitList(required)
	}
	enough := func(scope string) bool { return slices.Contains(has, scope) }
	if len(accepted) == 0 || slices.ContainsFunc(accepted, enough) {
		return apiErr
	}
	return &ScopeError{Accepted: accepted, Has: has, apiErr: apiErr}
}

// rateLimitError blocks the class that a 429 applies to.
func (c *Client) rateLimitError(e endpoint, h http.Header, apiErr *APIError) error {
	class, key := e, ""
	if apiErr.Limit != nil {
		key = excerpt(apiErr.Limit.Key)
	}
	if key == BotGamesLimit {
		class = botGames
	}
	wait := c.limiter.block(class, requestedWait(h, apiErr.Limit), key)
	return &RateLimitError{Endpoint: e.String(), RetryAfter: wait, Key: key}
}

// parseAPIError parses an error body. Lichess sends {"error": text} or
// {"error": {field: [text]}}; a proxy in front of it may send HTML.
func parseAPIError(body []byte) *APIError {
	var parts struct {
		Error json.RawMessage `json:"error"`
		Limit json.RawMessage `json:"ratelimit"`
	}
	if json.Unmarshal(body, &parts) != nil {
		return &APIError{Message: plainMessage(string(body))}
	}
	apiErr := &APIError{Explained: parts.Error != nil}
	if json.Unmarshal(parts.Error, &apiErr.Message) != nil {
		apiErr.Fields = parseFields(parts.Error)
		apiErr.Message = joinFields(apiErr.Fields)
	}
	if json.Unmarshal(parts.Limit, &apiErr.Limit) != nil {
		apiErr.Limit = nil
	}
	return apiErr
}

// plainMessage returns the message of a body that is not JSON.
func plainMessage(body string) string {
	body = strings.TrimSpace(body)
	if strings.HasPrefix(body, "<") {
		return "a web page instead of JSON"
	}
	return body
}

// parseFields parses errors by form field, each a string or a list.
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

// joinFields formats errors by form field on one line.
func joinFields(fields map[string][]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		parts = append(parts, name+": "+strings.Join(fields[name], ", "))
	}
	return strings.Join(parts, "; ")
}
