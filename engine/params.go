package engine

// maxPly is the deepest line that a search follows from its root.
const maxPly = 128
