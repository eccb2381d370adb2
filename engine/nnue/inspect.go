package nnue

import (
	"math"
	"slices"
)

// PartStats describes the weights of a layer, or its biases, in the units of the file.
type PartStats struct {
	Name     string
	Count    int
	Zeros    int
	Min, Max float64
}

// Stats describes each part of the weights, in the order of the file.
func (w *Weights) Stats() (stats []PartStats) {
	for _, part := range w.parts() {
		p := PartStats{Name: part.name, Min: math.Inf(1), Max: math.Inf(-1)}
		for value := range part.values() {
			p.Count++
			if value == 0 {
				p.Zeros++
			}
			p.Min, p.Max = min(p.Min, value), max(p.Max, value)
		}
		stats = append(stats, p)
	}
	return stats
}

// DeadInputs returns how many features have no weight but zero.
func (w *Weights) DeadInputs() (dead int) {
	for row := range Inputs {
		if !slices.ContainsFunc(w.Input[row*w.Width:][:w.Width], func(weight int16) bool { return weight != 0 }) {
			dead++
		}
	}
	return dead
}
