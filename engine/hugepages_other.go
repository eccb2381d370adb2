//go:build unix && !linux

package engine

func useHugePages([]byte) {}
