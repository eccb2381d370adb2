package lichesstest

import "net/http"

// The scopes of which a token must have one.
var (
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
		"GET /account/oauth/token":        {class: "account", open: true, handle: s.tokenPage},
		"GET /account/oauth/token/create": {class: "account", open: true, handle: s.tokenPage},

		"GET /api/account":              {class: "account", handle: s.account},
		"GET /api/account/playing":      {class: "account", handle: s.playing},
		"GET /api/account/preferences":  {class: "account", scopes: prefScopes, handle: s.preferences},
		"POST /api/bot/account/upgrade": {class: "account", scopes: botScopes, handle: s.upgrade},
		"POST /api/token/test":          {class: "account", open: true, handle: s.testToken},
		"GET /api/users/status":         {class: "users", open: true, handle: s.userStatus},
		"GET /api/bot/online":           {class: "users", open: true, handle: s.onlineBots},
		"GET /api/user/{name}":          {class: "users", open: true, handle: s.showUser},
		"GET /api/stream/event":         {class: "events", scopes: eventScopes, handle: s.streamEvents},

		"GET /api/challenge":               {class: "challenges", scopes: readScopes, handle: s.listChallenges},
		"GET /api/challenge/{id}/show":     {class: "challenge", scopes: readScopes, handle: s.showChallenge},
		"POST /api/challenge/{user}":       {class: "challenge", scopes: challengeScopes, handle: s.createChallenge},
		"POST /api/challenge/{id}/accept":  {class: "challenge", scopes: challengeScopes, handle: s.acceptChallenge},
		"POST /api/challenge/{id}/decline": {class: "challenge", scopes: challengeScopes, handle: s.declineChallenge},
		"POST /api/challenge/{id}/cancel":  {class: "challenge", scopes: challengeScopes, handle: s.cancelChallenge},

		"GET /api/tournament/{id}":           {class: "arena", open: true, handle: s.arenaRoute((*arena).show)},
		"GET /api/team/{id}/arena":           {class: "arena", open: true, handle: s.teamArenas},
		"POST /api/tournament/{id}/join":     {class: "arena", scopes: arenaScopes, handle: s.arenaRoute((*arena).join)},
		"POST /api/tournament/{id}/withdraw": {class: "arena", scopes: arenaScopes, handle: s.arenaRoute((*arena).withdraw)},

		"POST /team/{id}/join": {class: "users", scopes: teamScopes, handle: joinTeam},

		"GET /api/bot/game/stream/{id}":          {class: "game", scopes: botScopes, handle: s.streamGame},
		"POST /api/bot/game/{id}/move/{uci}":     {class: "move", scopes: botScopes, handle: s.command((*game).postMove)},
		"POST /api/bot/game/{id}/abort":          {class: "command", scopes: botScopes, handle: s.command((*game).abort)},
		"POST /api/bot/game/{id}/resign":         {class: "command", scopes: botScopes, handle: s.command((*game).postResign)},
		"POST /api/bot/game/{id}/draw/{yes}":     {class: "command", scopes: botScopes, handle: s.command((*game).answerDraw)},
		"POST /api/bot/game/{id}/takeback/{yes}": {class: "command", scopes: botScopes, handle: s.command((*game).postTakeback)},
		"POST /api/bot/game/{id}/claim-victory":  {class: "command", scopes: botScopes, handle: s.command((*game).claimVictory)},
		"POST /api/bot/game/{id}/claim-draw":     {class: "command", scopes: botScopes, handle: s.command((*game).claimDraw)},
		"POST /api/bot/game/{id}/berserk":        {class: "command", scopes: botScopes, handle: s.command((*game).berserk)},
		"POST /api/bot/game/{id}/chat":           {class: "chat", scopes: botScopes, handle: s.postChat},
	} {
		mux.Handle(pattern, s.wrap(h))
	}
	mux.HandleFunc("/", writeUnknown)
	first := http.NewServeMux() // for the pattern that conflicts with that of streams
	first.Handle("GET /api/bot/game/{id}/chat", s.wrap(route{class: "chat", scopes: botScopes, handle: s.readChat}))
	first.Handle("/", mux)
	return first
}

func writeUnknown(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusNotFound, object{"error": "Not found"})
}
