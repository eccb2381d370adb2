// Package web is what the program's browser pages have in common.
//
// A [Page] has [Files], its own and those that all pages share: board, pockets, clocks,
// evaluations, moves, style. It keeps its viewers up to date by server-sent events. A
// [Guard] decides who may use it: it checks host names, passwords and the link of a page
// without one, and limits the rate of password attempts. [Serve] serves clients that are
// not trusted to be fast or to hang up.
package web
