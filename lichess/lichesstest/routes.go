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
		"GET /api/user/{username}":      {"users", "", s.showUser},
		"GET /api/stream/event":         {"events", "challenge:read bot:play board:play", s.streamEvents},

		"GET /api/challenge":                        {"challenges", "challenge:read", s.listChallenges},
		"GET /api/challenge/{challengeId}/show":     {"challenge", "challenge:read", s.showChallenge},
		"POST /api/challenge/{username}":            {"challenge", challengeScopes, s.createChallenge},
		"POST /api/challenge/{challengeId}/accept":  {"challenge", challengeScopes, s.acceptChallenge},
		"POST /api/challenge/{challengeId}/decline": {"challenge", challengeScopes, s.declineChallenge},
		"POST /api/challenge/{challengeId}/cancel":  {"challenge", challengeScopes, s.cancelChallenge},

		"GET /api/tournament/{id}":           {"arena", "", showArena},
		"GET /api/team/{teamId}/arena":       {"arena", "", s.teamArenas},
		"POST /api/tournament/{id}/join":     {"arena", arenaScopes, joinArena},
		"POST /api/tournament/{id}/withdraw": {"arena", arenaScopes, withdrawArena},

		"POST /team/{teamId}/join": {"users", "team:write", joinTeam},

		"GET /api/bot/game/stream/{gameId}":             {"game", botScopes, streamGame},
		"POST /api/bot/game/{gameId}/move/{move}":       {"move", botScopes, postMove},
		"POST /api/board/game/{gameId}/move/{move}":     {"move", "board:play", postMove}, // of people's programs
		"POST /api/bot/game/{gameId}/abort":             {"command", botScopes, postAbort},
		"POST /api/bot/game/{gameId}/resign":            {"command", botScopes, postResign},
		"POST /api/bot/game/{gameId}/draw/{accept}":     {"command", botScopes, postDraw},
		"POST /api/bot/game/{gameId}/takeback/{accept}": {"command", botScopes, postTakeback},
		"POST /api/bot/game/{gameId}/claim-victory":     {"command", botScopes, claimVictory},
		"POST /api/bot/game/{gameId}/claim-draw":        {"command", botScopes, claimDraw},
		"POST /api/bot/game/{gameId}/berserk":           {"command", botScopes, berserk},
		"POST /api/bot/game/{gameId}/chat":              {"chat", botScopes, postChat},
	} {
		mux.Handle(pattern, s.wrap(h))
	}
	mux.HandleFunc("/", writeUnknown)
	first := http.NewServeMux() // for the pattern that conflicts with that of streams
	first.Handle("GET /api/bot/game/{gameId}/chat", s.wrap(route{"chat", botScopes, readChat}))
	first.Handle("/", mux)
	return first
}

func writeUnknown(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusNotFound, object{"error": "Not found"})
}
