package lichesstest

import "net/http"

// The scopes of which a token must have one: nil where no token is needed, and an empty list
// where any will do.
var (
	open            []string
	anyScope        = []string{}
	botScopes       = []string{"bot:play"}
	eventScopes     = []string{"challenge:read", "bot:play", "board:play"}
	readScopes      = []string{"challenge:read"}
	challengeScopes = []string{"challenge:write", "bot:play", "board:play"}
	arenaScopes     = []string{"tournament:write", "bot:play"}
	prefScopes      = []string{"preference:read"}
	teamScopes      = []string{"team:write"}
)

// handler routes the API.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range map[string]route{
		"GET /account/oauth/token":        {"account", open, s.tokenPage},
		"GET /account/oauth/token/create": {"account", open, s.tokenPage},

		"GET /api/account":              {"account", anyScope, s.account},
		"GET /api/account/playing":      {"account", anyScope, s.playing},
		"GET /api/account/preferences":  {"account", prefScopes, s.preferences},
		"POST /api/bot/account/upgrade": {"account", botScopes, s.upgrade},
		"POST /api/token/test":          {"account", open, s.testToken},
		"GET /api/users/status":         {"users", open, s.userStatus},
		"GET /api/bot/online":           {"users", open, s.onlineBots},
		"GET /api/user/{name}":          {"users", open, s.showUser},
		"GET /api/stream/event":         {"events", eventScopes, s.streamEvents},

		"GET /api/challenge":               {"challenges", readScopes, s.listChallenges},
		"GET /api/challenge/{id}/show":     {"challenge", readScopes, s.showChallenge},
		"POST /api/challenge/{user}":       {"challenge", challengeScopes, s.createChallenge},
		"POST /api/challenge/{id}/accept":  {"challenge", challengeScopes, s.acceptChallenge},
		"POST /api/challenge/{id}/decline": {"challenge", challengeScopes, s.declineChallenge},
		"POST /api/challenge/{id}/cancel":  {"challenge", challengeScopes, s.cancelChallenge},

		"GET /api/tournament/{id}":           {"arena", open, s.arenaRoute((*arena).show)},
		"GET /api/team/{id}/arena":           {"arena", open, s.teamArenas},
		"POST /api/tournament/{id}/join":     {"arena", arenaScopes, s.arenaRoute((*arena).join)},
		"POST /api/tournament/{id}/withdraw": {"arena", arenaScopes, s.arenaRoute((*arena).withdraw)},

		"POST /team/{id}/join": {"users", teamScopes, joinTeam},

		"GET /api/bot/game/stream/{id}":          {"game", botScopes, s.streamGame},
		"POST /api/bot/game/{id}/move/{uci}":     {"move", botScopes, s.command((*game).postMove)},
		"POST /api/bot/game/{id}/abort":          {"command", botScopes, s.command((*game).abort)},
		"POST /api/bot/game/{id}/resign":         {"command", botScopes, s.command((*game).postResign)},
		"POST /api/bot/game/{id}/draw/{yes}":     {"command", botScopes, s.command((*game).answerDraw)},
		"POST /api/bot/game/{id}/takeback/{yes}": {"command", botScopes, s.command((*game).postTakeback)},
		"POST /api/bot/game/{id}/claim-victory":  {"command", botScopes, s.command((*game).claimVictory)},
		"POST /api/bot/game/{id}/claim-draw":     {"command", botScopes, s.command((*game).claimDraw)},
		"POST /api/bot/game/{id}/berserk":        {"command", botScopes, s.command((*game).berserk)},
		"POST /api/bot/game/{id}/chat":           {"chat", botScopes, s.postChat},
	} {
		mux.Handle(pattern, s.wrap(h))
	}
	mux.HandleFunc("/", writeUnknown)
	first := http.NewServeMux() // for the pattern that conflicts with that of streams
	first.Handle("GET /api/bot/game/{id}/chat", s.wrap(route{"chat", botScopes, s.readChat}))
	first.Handle("/", mux)
	return first
}

func writeUnknown(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusNotFound, object{"error": "Not found"})
}
