package train

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteCurve draws the losses of a run as an SVG chart.
func WriteCurve(w io.Writer, history []EpochLoss) error {
	const width, height, left, top = 720, 360, 70, 30
	low, high := lossRange(history)
	x := func(i int) float64 { return left + float64(i)*(width-left-20)/float64(max(1, len(history)-1)) }
	y := func(loss float64) float64 { return top + (high-loss)/(high-low)*(height-top-40) }

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	for i := range 5 {
		loss := low + (high-low)*float64(i)/4
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%.5f</text>`+"\n",
			left, width-20, y(loss), y(loss), left-6, y(loss)+4, loss)
	}
	for _, line := range []struct {
		name, color string
		loss        func(EpochLoss) float64
		label       int
	}{
		{"training", "#1f6fb4", func(e EpochLoss) float64 { return e.Train }, 0},
		{"validation", "#c8501e", func(e EpochLoss) float64 { return e.Validation }, 90},
	} {
		var points []string
		for i, e := range history {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(i), y(line.loss(e))))
		}
		fmt.Fprintf(&b, `<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/><text x="%d" y="20" fill="%s">%s</text>`+"\n",
			line.color, strings.Join(points, " "), left+line.label, line.color, line.name)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">epochs 1 to %d, mean squared error</text>`+"\n</svg>\n", width/2, height-10, len(history))
	_, err := io.WriteString(w, b.String())
	return err
}

// lossRange returns the range of the losses, which is never empty.
func lossRange(history []EpochLoss) (low, high float64) {
	var losses []float64
	for _, e := range history {
		losses = append(losses, e.Train, e.Validation)
	}
	losses = slices.DeleteFunc(losses, func(loss float64) bool { return loss <= 0 })
	if len(losses) == 0 {
		return 0, 1
	}
	return slices.Min(losses) - 1e-6, slices.Max(losses) + 1e-6
}
