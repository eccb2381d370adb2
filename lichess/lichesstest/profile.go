package lichesstest

import (
	"cmp"
	"slices"
	"time"
)

// SetCreated sets when an account was created.
func (s *Server) SetCreated(name string, at time.Time) {
	s.change(name, func(u *user) { u.created = at })
}

// SetBio sets the text of a user's profile, "" for none: a bot without one is not in the
// list of online bots.
func (s *Server) SetBio(name, bio string) { s.change(name, func(u *user) { u.bio = bio }) }

// countTime adds the duration of a finished game to both players' times.
func (g *game) countTime() {
	if g.clock.kind != realTime {
		return
	}
	d := g.movedAt.Sub(g.created)
	for side, u := range g.players {
		u.played += d
		if !g.players[1-side].bot() {
			u.withPeople += d
		}
	}
}

// profile is the JSON of a user's profile. A variant that it never played is not
// among its ratings.
func (u *user) profile() object {
	perfs := object{}
	for _, key := range []string{"bullet", "blitz", "rapid", "classical", "correspondence"} {
		perfs[key] = perf(u.initialRating(), 0)
	}
	if u.rated > 0 {
		perfs[crazyhouse] = perf(u.rating, u.rated)
	}
	o := object{
		"id": u.id, "username": u.name, "perfs": perfs, "createdAt": u.created.UnixMilli(),
		"seenAt":   time.Now().UnixMilli(),
		"playTime": object{"total": int(u.played.Seconds()), "tv": 0, "human": int(u.withPeople.Seconds())},
	}
	if u.bio != "" {
		o["profile"] = object{"bio": u.bio}
	}
	add(o, "title", u.title)
	add(o, "tosViolation", u.marked)
	return o
}

// fullProfile is the profile with what is shown of one user only, given their games in
// progress.
func (u *user) fullProfile(games []*game) object {
	o := u.profile()
	o["url"] = "https://lichess.org/@/" + u.name
	o["count"] = object{
		"all": u.games, "rated": u.rated, "loss": u.results[0], "draw": u.results[1], "win": u.results[2],
		"playing": len(games), "bookmark": 0, "import": 0, "me": 0,
	}
	if len(games) > 0 {
		o["playing"] = "https://lichess.org/" + games[0].id + "/" + colors[games[0].side(u)]
	}
	return o
}

func preferences(r *request) any {
	return object{"prefs": object{"takeback": r.user.takebacks}, "language": "en-GB"}
}

// maxBotsOnline is how many bots the list of online bots has at most, and botListAge how old it
// gets.
const (
	maxBotsOnline = 200
	botListAge    = 10 * time.Second
)

func (s *Server) onlineBots(r *request) any {
	if now := time.Now(); now.Sub(s.botListed) >= botListAge {
		s.botList, s.botListed = s.botsOnline(), now
	}
	var list []object
	for _, u := range firstN(s.botList, min(intParam(r, "nb", 100, 512), maxBotsOnline)) {
		list = append(list, u.profile())
	}
	return ndjson(list)
}

// botsOnline returns the bots that are online and that Lichess lists, those that played
// people for longest first.
func (s *Server) botsOnline() (bots []*user) {
	for _, u := range s.users {
		if u.bot() && u.bio != "" && !u.closed && !u.marked && s.online(u) {
			bots = append(bots, u)
		}
	}
	slices.SortFunc(bots, func(a, b *user) int {
		return cmp.Or(cmp.Compare(b.withPeople, a.withPeople), cmp.Compare(a.id, b.id))
	})
	return bots
}
