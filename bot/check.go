package bot

import "context"

// CheckLiveness returns an error if a part of the bot hangs: a game that does not
// answer, a lock that is not released, an event that is not handled, a search that
// does not end. It does not depend on Lichess. The context bounds the wait for
// answers.
func (b *Bot) CheckLiveness(ctx context.Context) error {
	return b.liveness.Check(ctx, func() {
		b.slots.Use()
		b.queue.HumanWaits()
		b.memory.Tally("")
		b.me()
	})
}
