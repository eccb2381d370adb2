package engine

// The weights of [quietPrior], in the units of the histories, by [pieceKind]. They are fitted
// to what became of the quiet moves of 12,000 nodes; see "The order of quiet moves" in
// EXPERIMENTS.md.
var (
	// By the safety of the origin and of the target. A king is always safe, and drops have no
	// origin.
	originWeights = [pieceKinds][safetyCount]int32{
		{0, -500, -1500, 0},    // pawn
		{0, -500, 7100, 10800}, // knight
		{0, 300, 2200, 10700},  // bishop
		{0, 3400, 1500, 11900}, // rook
		{0, 0, 0, 13600},       // queen
	}
	targetWeights = [pieceKinds][safetyCount]int32{
		{1300, 600, 3900, 0},        // pawn
		{6600, 3100, -8100, -6200},  // knight
		{5900, 2700, -4000, -10400}, // bishop
		{2200, 4600, 300, -7100},    // rook
		{3600, 7800, -2100, -10500}, // queen
		{6200, 0, 0, 0},             // king
		{900, 2500, 0, 0},           // dropped pawn
		{6400, 2100, -10600, -5400}, // dropped knight
		{6400, 5300, -4400, -5900},  // dropped bishop
		{4800, 6500, -4200, -8200},  // dropped rook
		{4100, 14200, -5200, -9500}, // dropped queen
	}
	// By the distance of the target to either king.
	enemyKingWeights = [pieceKinds][8]int32{
		{0, 4900, 8700, 3700, -1300, -1200, -6200, -2800},  // pawn
		{0, -400, 3400, 5100, 1100, 1100, -2400, -12500},   // knight
		{0, -500, 1600, 1700, -900, -700, 1200, -8200},     // bishop
		{0, 3400, 1300, 2700, -200, -1700, -3200, -2400},   // rook
		{0, 3000, 3900, 200, -400, -900, -2800, -4400},     // queen
		{0, 0, 0, -200, 2600, 700, -1100, 4100},            // king
		{0, 5300, 10600, 3200, -3100, -4900, -3100, -4600}, // dropped pawn
		{0, 4300, 7500, 6300, 1300, -4200, -10900, -11800}, // dropped knight
		{0, 6800, 4100, 3400, 200, -800, -3500, -8900},     // dropped bishop
		{0, 3900, 4300, 2700, -300, -2300, -4700, -4600},   // dropped rook
		{0, 2000, 6300, 4500, -400, -900, -3400, -4500},    // dropped queen
	}
	ownKingWeights = [pieceKinds][8]int32{
		{0, 1500, 2600, 1900, 2000, -600, -2200, 700},      // pawn
		{0, 1700, 3500, 800, -700, -4100, -5100, -800},     // knight
		{0, 1300, 2000, 2000, -300, -2200, -4900, -3800},   // bishop
		{0, 5300, 2000, -200, -1200, -1700, -3000, -1200},  // rook
		{0, 4500, 2100, 1500, -1300, -2400, -3300, -2300},  // queen
		{0, -4600, 0, 6400, 4300, 0, 0, 0},                 // king
		{0, 7300, 3700, -3000, -1800, -900, -300, -1500},   // dropped pawn
		{0, 3300, 4300, 1500, -1200, -4400, -5700, -5200},  // dropped knight
		{0, 8000, 6200, 2500, 500, -2300, -8000, -5600},    // dropped bishop
		{0, 6300, 3300, -1000, -3500, -2500, -1100, -2400}, // dropped rook
		{0, 6200, 3900, 1100, -2000, -3200, -700, -1700},   // dropped queen
	}
	// By the safety of the target of a quiet evasion.
	evasionWeights = [safetyCount]int32{defended: 13500, undefended: -3700, outclassed: -6800}
)
