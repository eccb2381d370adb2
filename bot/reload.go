package bot

// Reload changes the settings while the bot runs: what to accept and how many
// games at once, matchmaking, bounds and offers in games, and what to say. Games
// in play go on; a challenge that waits is judged anew. The other options, which
// make up what plays and where, stay as they were at the start.
func (b *Bot) Reload(o Options) {
	next := b.opts
	next.Policy, next.Slots, next.Matchmaking, next.Play = o.Policy, o.Slots, o.Matchmaking, o.Play
	next.Blocklist = o.Blocklist
	next.AbortAfter, next.DrainTimeout = o.AbortAfter, o.DrainTimeout
	next.MaxTime, next.MaxNodes = o.MaxTime, o.MaxNodes
	next.Greeting, next.Goodbye = o.Greeting, o.Goodbye
	b.reloaded.Store(&next)
	b.slots.resize(o.Slots) // which has the desk look again
	b.matches.poke()
	select {
	case b.resourced <- struct{}{}:
	default: // will look anyway
	}
}

// settings returns the options as they are now. They must not be changed.
func (b *Bot) settings() *Options {
	if o := b.reloaded.Load(); o != nil {
		return o
	}
	return &b.opts
}
