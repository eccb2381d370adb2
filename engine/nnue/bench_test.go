package nnue

import (
	"fmt"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

func BenchmarkUpdate(b *testing.B) {
	for _, width := range []int{256, 320, 384, 512} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			n := randomNetwork(b, width, 1)
			e := NewEvaluator(n, 1)
			p := rules.StartPosition()
			e.Reset(&p)
			m := rules.NewMove(12, 28)
			for b.Loop() {
				e.Play(0, &p, m)
				e.update(1)
			}
		})
	}
}

func BenchmarkNode(b *testing.B) {
	for _, width := range []int{256, 512} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			n := randomNetwork(b, width, 8)
			e := NewEvaluator(n, 1)
			p := rules.StartPosition()
			m := rules.NewMove(12, 28)
			next, err := p.Play(m)
			if err != nil {
				b.Fatal(err)
			}
			e.Reset(&p)
			for b.Loop() {
				e.Play(0, &p, m)
				e.Evaluate(1, &next)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevals/s")
		})
	}
}

func BenchmarkReset(b *testing.B) {
	e := NewEvaluator(randomNetwork(b, 512, 8), 0)
	p := rules.StartPosition()
	next := p.After(rules.NewMove(12, 28))
	for b.Loop() {
		e.Reset(&p)
		e.Reset(&next)
	}
}

func BenchmarkStackKernels(b *testing.B) {
	n := randomNetwork(b, 512, 1)
	e := NewEvaluator(n, 0)
	p := rules.StartPosition()
	e.Reset(&p)
	head, acc, s := n.stacks, e.accumulators[0].perspectives, &e.scratch
	b.Run("multiplyPairs", func(b *testing.B) {
		for b.Loop() {
			multiplyPairs(s.products[:256], acc[0])
			multiplyPairs(s.products[256:512], acc[1])
		}
	})
	b.Run("denseSums", func(b *testing.B) {
		for b.Loop() {
			denseSums(&s.sums, s.products[:512], head.dense)
		}
	})
	b.Run("runTail", func(b *testing.B) {
		for b.Loop() {
			runTail(&s.sums, &head.tails[0])
		}
	})
	b.Run("runStack", func(b *testing.B) {
		for b.Loop() {
			runStack(acc[0], acc[1], head.dense, &head.tails[0], s)
		}
	})
}
