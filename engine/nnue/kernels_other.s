//go:build !amd64

// This file has no code: with it, the compiler permits functions without a body, which are
// never called where there is no assembly.
