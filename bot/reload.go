package bot

// Reload changes the settings while the bot runs: what to accept, how many games at
// once, whom to challenge, what to do and say in games. Games in progress continue;
// a queued challenge is decided on again. It ignores Client, Engine, Log, Site,
// Archive, State, History, Observe, MoveOverhead and the version names, which cannot
// change while running.
func (b *Bot) Reload(o Options) {
	b.reloaded.Store(&o)
	b.slots.Resize(o.Slots) // also wakes the challenge queue
	b.matchmaker.Notify()
	b.arenas.Notify()
	signal(b.blocklistChanged)
}

// settings returns the current options. They must not be modified.
func (b *Bot) settings() *Options {
	if o := b.reloaded.Load(); o != nil {
		return o
	}
	return &b.opts
}
