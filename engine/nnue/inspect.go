package nnue

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
		switch weights := part.weights.(type) {
		case []int8:
			stats = append(stats, statsOf(part.name, weights))
		case []int16:
			stats = append(stats, statsOf(part.name, weights))
		case []int32:
			stats = append(stats, statsOf(part.name, weights))
		case []float32:
			stats = append(stats, statsOf(part.name, weights))
		}
	}
	return stats
}

func statsOf[T int8 | int16 | int32 | float32](name string, weights []T) PartStats {
	s := PartStats{Name: name, Count: len(weights)}
	for i, weight := range weights {
		value := float64(weight)
		if weight == 0 {
			s.Zeros++
		}
		if i == 0 {
			s.Min, s.Max = value, value
		}
		s.Min, s.Max = min(s.Min, value), max(s.Max, value)
	}
	return s
}

// DeadInputs returns how many features have no weight but zero.
func (w *Weights) DeadInputs() (dead int) {
	for row := range Inputs {
		if statsOf("", w.Input[row*w.Width:][:w.Width]).Zeros == w.Width {
			dead++
		}
	}
	return dead
}
