package train

import (
	"path/filepath"
	"strings"
	"testing"
)

// A checkpoint continues only with the options of its run, as far as it tells them.
func TestNewRun_RefusesOtherOptions(t *testing.T) {
	train, validation := smallSamples(t, 30)
	o := smallOptions()
	o.Epochs, o.Workers, o.Decay, o.Checkpoint = 1, 2, 0, filepath.Join(t.TempDir(), "checkpoint")
	run := newRun(t, o, train, validation)
	network := trainToEnd(t, run)
	others := map[string]func(o *Options){
		"":                                     func(*Options) {},
		"batch was 128, now 64":                func(o *Options) { o.Batch = 64 },
		"workers was 2, now 1":                 func(o *Options) { o.Workers = 1 },
		"rate was 0.005, now 0.5":              func(o *Options) { o.Rate = 0.5 },
		"stack rate was 1, now 2":              func(o *Options) { o.StackRate = 2 },
		"decay was 0, now 7":                   func(o *Options) { o.Decay = 7 },
		"from was none, now " + network.Hash(): func(o *Options) { o.From = network },
	}
	for want, change := range others {
		other := o
		change(&other)
		_, err := NewRun(other, train, validation)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
