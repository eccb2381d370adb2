package engine

// priorWeights are what [quietPrior] adds for one kind of piece, in the units of the
// histories: by the safety of origin and target, and by the target's distance to either
// king.
type priorWeights struct {
	from, to           [safetyCount]int32
	enemyKing, ownKing [8]int32
}

// priorsByKind has the weights by [pieceKind]. They are fitted to what became of the quiet
// moves of 12,000 nodes; see "The order of quiet moves" in EXPERIMENTS.md. Distances are from
// 0 to 7.
var priorsByKind = [pieceKinds]priorWeights{
	{ // pawn
		from: [...]int32{0, -500, -1500, 0}, to: [...]int32{1300, 600, 3900, 0},
		enemyKing: [...]int32{0, 4900, 8700, 3700, -1300, -1200, -6200, -2800},
		ownKing:   [...]int32{0, 1500, 2600, 1900, 2000, -600, -2200, 700},
	},
	{ // knight
		from: [...]int32{0, -500, 7100, 10800}, to: [...]int32{6600, 3100, -8100, -6200},
		enemyKing: [...]int32{0, -400, 3400, 5100, 1100, 1100, -2400, -12500},
		ownKing:   [...]int32{0, 1700, 3500, 800, -700, -4100, -5100, -800},
	},
	{ // bishop
		from: [...]int32{0, 300, 2200, 10700}, to: [...]int32{5900, 2700, -4000, -10400},
		enemyKing: [...]int32{0, -500, 1600, 1700, -900, -700, 1200, -8200},
		ownKing:   [...]int32{0, 1300, 2000, 2000, -300, -2200, -4900, -3800},
	},
	{ // rook
		from: [...]int32{0, 3400, 1500, 11900}, to: [...]int32{2200, 4600, 300, -7100},
		enemyKing: [...]int32{0, 3400, 1300, 2700, -200, -1700, -3200, -2400},
		ownKing:   [...]int32{0, 5300, 2000, -200, -1200, -1700, -3000, -1200},
	},
	{ // queen
		from: [...]int32{0, 0, 0, 13600}, to: [...]int32{3600, 7800, -2100, -10500},
		enemyKing: [...]int32{0, 3000, 3900, 200, -400, -900, -2800, -4400},
		ownKing:   [...]int32{0, 4500, 2100, 1500, -1300, -2400, -3300, -2300},
	},
	{ // king
		to:        [...]int32{6200, 0, 0, 0},
		enemyKing: [...]int32{0, 0, 0, -200, 2600, 700, -1100, 4100},
		ownKing:   [...]int32{0, -4600, 0, 6400, 4300, 0, 0, 0},
	},
	{ // dropped pawn
		to:        [...]int32{900, 2500, 0, 0},
		enemyKing: [...]int32{0, 5300, 10600, 3200, -3100, -4900, -3100, -4600},
		ownKing:   [...]int32{0, 7300, 3700, -3000, -1800, -900, -300, -1500},
	},
	{ // dropped knight
		to:        [...]int32{6400, 2100, -10600, -5400},
		enemyKing: [...]int32{0, 4300, 7500, 6300, 1300, -4200, -10900, -11800},
		ownKing:   [...]int32{0, 3300, 4300, 1500, -1200, -4400, -5700, -5200},
	},
	{ // dropped bishop
		to:        [...]int32{6400, 5300, -4400, -5900},
		enemyKing: [...]int32{0, 6800, 4100, 3400, 200, -800, -3500, -8900},
		ownKing:   [...]int32{0, 8000, 6200, 2500, 500, -2300, -8000, -5600},
	},
	{ // dropped rook
		to:        [...]int32{4800, 6500, -4200, -8200},
		enemyKing: [...]int32{0, 3900, 4300, 2700, -300, -2300, -4700, -4600},
		ownKing:   [...]int32{0, 6300, 3300, -1000, -3500, -2500, -1100, -2400},
	},
	{ // dropped queen
		to:        [...]int32{4100, 14200, -5200, -9500},
		enemyKing: [...]int32{0, 2000, 6300, 4500, -400, -900, -3400, -4500},
		ownKing:   [...]int32{0, 6200, 3900, 1100, -2000, -3200, -700, -1700},
	},
}

// evasionPrior is what the safety of the target adds to a quiet evasion.
var evasionPrior = [safetyCount]int32{defended: 13500, undefended: -3700, outclassed: -6800}
