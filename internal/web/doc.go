// Package web is what the program's browser pages have in common.
//
// [Files] are the HTML, CSS and JavaScript modules of a page, embedded in the program,
// together with those that all pages share: board, pockets, clocks, evaluations, moves,
// style. [Viewers] keep a page up to date by server-sent events, and [Serve] serves pages
// to clients that are not trusted to be fast or to hang up. A [Guard] decides who may use
// a page: it checks host names, passwords and the link of a page without one, and limits
// the rate of password attempts.
package web
