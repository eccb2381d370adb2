package gamestream

import "time"

// command is what a stream is told. Fields that are not set change nothing.
type command struct {
	reopen time.Time  // read the game again, on a connection requested after this
	park   *bool      // whether to park
	flag   *time.Time // when our clock may run out
}

// then returns a command that does both, the later one last.
func (c command) then(later command) command {
	if !later.reopen.IsZero() {
		c.reopen = later.reopen
	}
	if later.park != nil {
		c.park = later.park
	}
	if later.flag != nil {
		c.flag = later.flag
	}
	return c
}

func (c command) parked() bool { return c.park != nil && *c.park }

func (c command) flagTime() time.Time {
	if c.flag == nil {
		return time.Time{}
	}
	return *c.flag
}

// tell passes a command to Run, together with one that Run has not seen yet.
func (s *Stream) tell(c command) {
	for {
		select {
		case s.commands <- c:
			return
		case earlier := <-s.commands:
			c = earlier.then(c)
		}
	}
}

// Reopen reads the game again, on a connection opened from now on.
func (s *Stream) Reopen() { s.tell(command{reopen: time.Now(), park: new(bool)}) }

// Park closes the stream until Reopen, Unpark or a timeout.
func (s *Stream) Park() {
	park := true
	s.tell(command{park: &park})
}

// Unpark reads the game again if the stream is parked.
func (s *Stream) Unpark() { s.tell(command{park: new(bool)}) }

// SetFlagTime sets when our clock may run out; zero for never.
func (s *Stream) SetFlagTime(flag time.Time) { s.tell(command{flag: &flag}) }
