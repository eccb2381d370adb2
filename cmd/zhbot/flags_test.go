package main

import (
	"testing"
	"time"
)

func TestTimeControl_Set(t *testing.T) {
	for text, want := range map[string]timeControl{
		"180+2":  {3 * time.Minute, 2 * time.Second},
		"3+0.03": {3 * time.Second, 30 * time.Millisecond},
		"0+1":    {0, time.Second},
		"0.5+0":  {500 * time.Millisecond, 0},
	} {
		var got timeControl
		if err := got.Set(text); err != nil || got != want || got.String() != text {
			t.Errorf("%q is %v, %v", text, &got, err)
		}
	}
	for _, text := range []string{"", "180", "3:00+2", "+", "1+", "0+0", "-1+2", "1+-1", "NaN+1", "Inf+0", "1+NaN", "86401+0"} {
		control := timeControl{time.Second, 0}
		if err := control.Set(text); err == nil || control != (timeControl{time.Second, 0}) {
			t.Errorf("%q is %v, %v, want an error and no change", text, &control, err)
		}
	}
}
