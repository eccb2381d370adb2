package lichesstest

import "net/http"

// The scopes of most routes.
const (
	botScopes       = "bot:play"
	challengeScopes = "challenge:write bot:play board:play"
	arenaScopes     = "tournament:write bot:play"
)

// handler routes the API.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range map[string]route{
		"GET /{$}":                        {"account", "", s.tokenPage},
		"GET /account/oauth/token":        {"account", "", s.tokenPage},
		"GET /account/oauth/token/create": {"account", "", s.tokenPage},

		"GET /api/account":              {"account", anyScope, s.account},
		"GET /api/account/playing":      {"account", anyScope, s.playing},
		"GET /api/account/preferences":  {"account", "preference:read", preferences},
		"POST /api/bot/account/upgrade": {"account", botScopes, s.upgrade},
		"POST " + tokenTestPath:         {"account", "", s.testToken},
		"GET /api/users/status":         {"users", "", s.userStatus},
		"GET /api/bot/online":           {"users", "", s.onlineBots},
		"GET /api/user/{name}":          {"users", "", s.showUser},
		"GET /api/stream/event":         {"events", "challenge:read bot:play board:play", s.streamEvents},

		"GET /api/challenge":               {"challenges", "challenge:read", s.listChallenges},
		"GET /api/challenge/{id}/show":     {"challenge", "challenge:read", s.showChallenge},
		"POST /api/challenge/{user}":       {"challenge", challengeScopes, s.createChallenge},
		"POST /api/challenge/{id}/accept":  {"challenge", challengeScopes, s.acceptChallenge},
		"POST /api/challenge/{id}/decline": {"challenge", challengeScopes, s.declineChallenge},
		"POST /api/challenge/{id}/cancel":  {"challenge", challengeScopes, s.cancelChallenge},

		"GET /api/tournament/{id}":           {"arena", "", showArena},
		"GET /api/team/{id}/arena":           {"arena", "", s.teamArenas},
		"POST /api/tournament/{id}/join":     {"arena", arenaScopes, joinArena},
		"POST /api/tournament/{id}/withdraw": {"arena", arenaScopes, withdrawArena},

		"POST /team/{id}/join": {"users", "team:write", joinTeam},

		"GET /api/bot/game/stream/{id}":          {"game", botScopes, streamGame},
		"POST /api/bot/game/{id}/move/{uci}":     {"move", botScopes, postMove},
		"POST /api/board/game/{id}/move/{uci}":   {"move", "board:play", postMove}, // of people's programs
		"POST /api/bot/game/{id}/abort":          {"command", botScopes, postAbort},
		"POST /api/bot/game/{id}/resign":         {"command", botScopes, postResign},
		"POST /api/bot/game/{id}/draw/{yes}":     {"command", botScopes, postDraw},
		"POST /api/bot/game/{id}/takeback/{yes}": {"command", botScopes, postTakeback},
		"POST /api/bot/game/{id}/claim-victory":  {"command", botScopes, claimVictory},
		"POST /api/bot/game/{id}/claim-draw":     {"command", botScopes, claimDraw},
		"POST /api/bot/game/{id}/berserk":        {"command", botScopes, berserk},
		"POST /api/bot/game/{id}/chat":           {"chat", botScopes, postChat},
	} {
		mux.Handle(pattern, s.wrap(h))
	}
	mux.HandleFunc("/", writeUnknown)
	first := http.NewServeMux() // for the pattern that conflicts with that of streams
	first.Handle("GET /api/bot/game/{id}/chat", s.wrap(route{"chat", botScopes, readChat}))
	first.Handle("/", mux)
	return first
}

func writeUnknown(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusNotFound, object{"error": "Not found"})
}
