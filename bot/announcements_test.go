package bot

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// A stream is mute if a game in a newer list is not announced in time. One that is never
// announced has the stream reopened more and more rarely.
func TestAnnouncements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a announcements
		ended := make(chan error, 9)
		check := func(asked, wait time.Duration, mute bool, games ...string) {
			t.Helper()
			list := lichess.GameList{RequestedAt: time.Now().Add(asked), Complete: true}
			for _, id := range games {
				list.Games = append(list.Games, lichess.Game{ID: id})
			}
			a.check(&list)
			time.Sleep(wait - 1)
			synctest.Wait()
			early := len(ended)
			time.Sleep(2 * time.Nanosecond)
			synctest.Wait()
			if early != 0 || (len(ended) != 0) != mute {
				t.Errorf("%v in progress: ended %d times, then %d", games, early, len(ended))
			}
			for len(ended) > 0 {
				<-ended
			}
		}
		open := func() { a.open(func(cause error) { ended <- cause }) }
		check(0, time.Hour, false, "old")
		open()
		check(0, time.Hour, false, "old") // requested before it was opened
		check(1, time.Hour, false)
		a.add("new")
		check(1, time.Hour, false, "new")
		check(1, muteTimeout, true, "new", "old")
		for _, wait := range []time.Duration{2, 4, 8, 8} {
			check(1, time.Hour, false, "old") // it is not open
			open()
			check(1, wait*muteTimeout, true, "old")
		}
		open()
		a.add("old")
		check(1, time.Hour, false, "old")
		check(time.Second, muteTimeout, true, "new") // announced on an earlier stream
		open()
		time.AfterFunc(muteTimeout/2, func() { a.add("late") })
		check(1, time.Hour, false, "late")
		open()
		a.add("seen")
		check(1, time.Hour, false, "seen", "") // one cannot be read
		check(1, muteTimeout, true, "", "unseen")
		open()
		time.AfterFunc(muteTimeout/2, func() { a.open(nil) })
		check(1, time.Hour, false, "old")
	})
}
