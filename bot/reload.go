package bot

// Reload changes the settings while the bot runs: what to accept, how many games
// at once, whom to challenge, what to do and say in games. Games in play go on;
// a challenge that waits is judged anew. What plays, where, and what is kept of
// it stays as it was at the start: Client, Engine, Log, Site, Archive, State,
// History, Observe, MoveOverhead and the names of versions are not looked at.
func (b *Bot) Reload(o Options) {
	b.reloaded.Store(&o)
	b.slots.resize(o.Slots) // which has the desk look again
	b.matchmaker.notify()
	b.arenas.notify()
	signal(b.blocklistChanged)
}

// settings returns the options as they are now, for those that Reload changes.
// They must not be written to.
func (b *Bot) settings() *Options {
	if o := b.reloaded.Load(); o != nil {
		return o
	}
	return &b.opts
}
