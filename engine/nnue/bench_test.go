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
			var attacks Attacks
			for b.Loop() {
				e.Play(0, &p, m)
				attacks.Find(&next)
				e.Evaluate(1, &next, &attacks)
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

func BenchmarkRunStack(b *testing.B) {
	for _, n := range []*Network{Default(), randomNetwork(b, 512, 8)} {
		b.Run(n.String(), func(b *testing.B) {
			e := NewEvaluator(n, 0)
			p := rules.StartPosition()
			e.Reset(&p)
			acc := e.accumulators[0].perspectives
			for b.Loop() {
				n.stacks.output(acc[0], acc[1], 0, &e.inputs)
			}
		})
	}
}

func BenchmarkAttackCounts(b *testing.B) {
	p, err := rules.ParseFEN("r2q1rk1/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/2NP1N2/PPP2PPP/R2Q1RK1/ w - - 0 1")
	if err != nil {
		b.Fatal(err)
	}
	var attacks Attacks
	b.Run("find", func(b *testing.B) {
		for b.Loop() {
			attacks.Find(&p)
		}
	})
	var sets attackSets
	var counts AttackCounts
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			sets.set(&p, &attacks)
			countSets(&counts, &sets)
		}
	})
}
