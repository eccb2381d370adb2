package nnue

import "math"

// runStackPortable returns the output of a stack for the first layer of both perspectives
// and the attack counts, which follow the place of the products among the inputs.
// It defines the result of the other versions. That of its last part is partly in floating
// point, so all versions add in the same order, and none fuses a multiplication with an
// addition.
func runStackPortable(own, other []int16, dense []int8, t *tail, inputs *denseInputs) float32 {
	width, half := len(own), len(own)/2
	multiplyPairs(inputs[:half], own)
	multiplyPairs(inputs[half:width], other)
	var sums [DenseNeurons]int32
	denseSums(&sums, inputs[:width+AttackInputs], dense)
	return runTail(&sums, t)
}

// multiplyPairs multiplies each number of the first half of acc, clamped to 0 to
// 255, by that of the second half, and rounds the product / 512: 0 to 127.
func multiplyPairs(dst []uint8, acc []int16) {
	second := acc[len(dst):][:len(dst)]
	for i := range dst {
		a, b := int32(min(max(acc[i], 0), QuantA)), int32(min(max(second[i], 0), QuantA))
		dst[i] = uint8((a*b + 256) >> 9)
	}
}

// denseSums sets sums to the products of the inputs, at most 127, and the weights:
// by 4 inputs, neuron and input.
func denseSums(sums *[DenseNeurons]int32, inputs []uint8, weights []int8) {
	*sums = [DenseNeurons]int32{}
	for i := 0; i < len(inputs); i += 4 {
		x := inputs[i:][:4]
		if x[0]|x[1]|x[2]|x[3] == 0 {
			continue
		}
		w := weights[i*DenseNeurons:][:4*DenseNeurons]
		for j := range sums {
			v := w[4*j:][:4]
			sums[j] += int32(x[0])*int32(v[0]) + int32(x[1])*int32(v[1]) +
				int32(x[2])*int32(v[2]) + int32(x[3])*int32(v[3])
		}
	}
}

// runTail returns the output of a stack for the sums of its dense layer.
func runTail(sums *[DenseNeurons]int32, t *tail) float32 {
	var inputs [HiddenInputs]int32
	for i, sum := range sums {
		x := float32(float32(sum)*t.denseScale[i]) + t.denseBias[i]
		inputs[i] = round(min(float32(x*x), 1) * hiddenInputUnits)
		inputs[DenseNeurons+i] = round(clip(x) * hiddenInputUnits)
	}
	var parts [HiddenNeurons]float32
	for i := range parts {
		sum := int32(0)
		for j := range t.hidden {
			sum += inputs[2*j]*int32(t.hidden[j][i][0]) + inputs[2*j+1]*int32(t.hidden[j][i][1])
		}
		x := clip(float32(float32(sum)*hiddenUnit) + t.hiddenBias[i])
		parts[i] = float32(float32(x*x) * t.output[i])
	}
	var lanes [8]float32
	for i := range lanes {
		lanes[i] = (parts[i] + parts[i+8]) + (parts[i+16] + parts[i+24])
	}
	return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
		((lanes[1] + lanes[5]) + (lanes[3] + lanes[7])) + t.outputBias
}

func round(x float32) int32 { return int32(math.RoundToEven(float64(x))) }

func clip(x float32) float32 { return min(max(x, 0), 1) }
