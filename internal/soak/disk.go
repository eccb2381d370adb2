package soak

import (
	"os"
	"sync"
	"time"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/record"
)

// disk is the folder of records, on which writes can be made to hang or to fail.
type disk struct {
	dir   string
	mu    sync.Mutex  // guards timer
	timer *time.Timer // that gives the folder back; nil while it is there

	blocked sync.RWMutex // held while no write gets through
}

// attach puts the records of a bot on the disk.
func (d *disk) attach(o *bot.Options) {
	if archive, ok := o.Archive.(*record.Archive); ok {
		archive.SetSync(d.sync)
	}
	if o.State != nil {
		o.State.SetSync(d.sync)
	}
}

func (d *disk) sync(f *os.File) error {
	d.blocked.RLock()
	defer d.blocked.RUnlock()
	return f.Sync()
}

// block makes every write hang for a time.
func (d *disk) block(t time.Duration) {
	if d.blocked.TryLock() {
		time.AfterFunc(t, d.blocked.Unlock)
	}
}

// fill makes every write fail for a time: a file takes the place of the folder.
func (d *disk) fill(t time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil || os.Rename(d.dir, d.movedDir()) != nil {
		return
	}
	_ = os.WriteFile(d.dir, nil, 0o600) // or the bot would make the folder again
	d.timer = time.AfterFunc(t, d.restore)
}

// restore gives the folder back.
func (d *disk) restore() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer == nil {
		return
	}
	d.timer.Stop()
	d.timer = nil
	_ = os.RemoveAll(d.dir) // losing what was written during the fault is part of it
	_ = os.Rename(d.movedDir(), d.dir)
}

func (d *disk) movedDir() string { return d.dir + ".aside" }
