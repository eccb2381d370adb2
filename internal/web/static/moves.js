// The moves of a game, to step through, and its players.

import { button, draw, make, setAttribute } from "./dom.js";

// MoveList lists the moves of a game in pairs. A click calls go with the ply after the
// move, counted from the start of the game.
export class MoveList {
  constructor(go) {
    this.go = go;
    this.buttons = [];
    this.element = make("ol", { class: "moves", "aria-label": "Moves" });
  }

  // show lists moves in SAN. The first one may be Black's: firstPly is 1 then, and more if
  // the game began at a later move.
  show(moves, firstPly) {
    const rows = new Map();
    this.buttons = moves.map((san, i) => {
      const ply = firstPly + i;
      const number = Math.floor(ply / 2) + 1;
      if (!rows.has(number)) rows.set(number, [make("span", { class: "number" }, `${number}.`)]);
      if (rows.get(number).length === 1 && ply % 2 === 1) rows.get(number).push(make("span", {}, "…"));
      const move = button(san, () => this.go(i + 1));
      rows.get(number).push(move);
      return move;
    });
    this.current = undefined;
    this.element.replaceChildren(...[...rows.values()].map((cells) => make("li", {}, ...cells)));
  }

  // select marks the move that led to a ply, and scrolls to it.
  select(ply) {
    this.current?.removeAttribute("aria-current");
    this.current = this.buttons[ply - 1];
    if (this.current) {
      setAttribute(this.current, "aria-current", "step");
      this.element.scrollTop = this.current.offsetTop - this.element.clientHeight / 2;
    } else {
      this.element.scrollTop = 0;
    }
  }
}

// stepButtons returns buttons that call go with the ply to step to, infinite for the start and
// the end, given a function that returns the current one.
export function stepButtons(ply, go) {
  const step = (shape, label, to) => {
    const icon = draw("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, draw("path", { d: shape }));
    return button(icon, () => go(to()), { "aria-label": label, title: label });
  };
  return make("div", { class: "steps" },
    step("M2 2h1.5v8H2zM11 2v8L4.5 6z", "To the start", () => -Infinity), step("M9.5 2v8L3 6z", "One move back", () => ply() - 1),
    step("M2.5 2v8L9 6z", "One move forward", () => ply() + 1), step("M8.5 2H10v8H8.5zM1 2v8l6.5-4z", "To the end", () => Infinity));
}

// stepOf returns the ply to which a key steps from another, undefined for other keys.
export function stepOf(event, ply) {
  if (event.ctrlKey || event.altKey || event.metaKey) return undefined;
  return { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: -Infinity, End: Infinity }[event.key];
}

// moveNumber returns the number before a move, such as "12." or "12…" for Black's, by its ply.
export const moveNumber = (ply) => `${Math.floor(ply / 2) + 1}${ply % 2 ? "…" : "."}`;

// player returns a name with title and rating.
export function player(p) {
  const parts = p.title ? [make("span", { class: "title" }, p.title), " "] : [];
  parts.push(make("span", { class: "strong" }, p.name));
  if (p.rating) parts.push(` ${p.rating}`);
  return parts;
}
