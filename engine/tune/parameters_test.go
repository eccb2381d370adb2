package tune

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadParameters(t *testing.T) {
	const text = "# name start min max step\n\nMultiPV 2 1 4 1\n Contempt -0.5 -10 10 2.5\n"
	got, err := ReadParameters(strings.NewReader(text))
	want := []Parameter{{Name: "MultiPV", Start: 2, Min: 1, Max: 4, Step: 1},
		{Name: "Contempt", Start: -0.5, Min: -10, Max: 10, Step: 2.5}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s%v", diff, err)
	}
	if _, err := ReadParameters(strings.NewReader("MultiPV 2 1 4 1\nHash 16\n")); err == nil ||
		!strings.Contains(err.Error(), "line 2: want NAME START MIN MAX STEP") {
		t.Errorf("a short line: %v", err)
	}
}
