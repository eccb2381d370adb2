package app

import (
	"fmt"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
)

// Records are the open folder of the records. Only one process can hold it.
type Records struct {
	archive *record.Archive // nil for none
	state   *record.StateFile
	log     zerolog.Logger
}

// OpenRecords opens the folder of the settings, if they have one.
func OpenRecords(c *config.Config, log zerolog.Logger) (*Records, error) {
	r := &Records{state: record.InMemoryState(), log: log}
	if c.Records.Dir == "" {
		return r, nil
	}
	var err error
	if r.archive, err = record.Open(c.Records.Dir); err != nil {
		return nil, fmt.Errorf("records.dir: %w", err)
	}
	for _, repair := range r.archive.Repairs() {
		log.Warn().Str("file", repair.File).Int("bytes", repair.Bytes).Msg("truncated record moved to the folder torn")
	}
	if r.state, err = record.OpenState(c.Records.Dir); err != nil {
		log.Warn().Err(err).Msg("state not restored, or it cannot be saved")
	}
	return r, nil
}

// AddTo makes a bot keep its games and its state in the folder; without one, its state
// stays in memory for the next bot.
func (r *Records) AddTo(o *bot.Options) {
	o.State = r.state
	if r.archive != nil {
		o.Archive, o.History = r.archive, r.archive
	}
}

// Close closes the folder.
func (r *Records) Close() {
	if r.archive == nil {
		return
	}
	if err := r.archive.Close(); err != nil {
		r.log.Warn().Err(err).Msg("records not closed")
	}
}
