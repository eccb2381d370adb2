// Boards and pockets.

import { draw, make, setAttribute, setText } from "./dom.js";
import { describe, describePocket, fileOf, kingOf, movedSquares, parse, pocketOrder, rankOf } from "./position.js";

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

// Board draws positions from one side's point of view.
export class Board {
  constructor() {
    this.marks = draw("g");
    this.selection = draw("g");
    this.pieces = draw("g");
    this.hint = draw("g", { class: "hint-arrow" });
    this.element = draw("svg", { class: "board", viewBox: "0 0 8 8", role: "img" });
    this.shown = new Map(); // square -> { key, elements }
  }

  // show draws a position with the last move highlighted, which is animated unless asked not
  // to.
  show(fen, last, check, side, animate = true) {
    if (this.side !== side) this.orient(side);
    if (this.fen === fen && this.last === last) return;
    const animated = animate && this.fen !== undefined;
    this.fen = fen;
    this.last = last;
    const position = parse(fen);
    this.mark(position, last, check);
    this.place(position, animated ? last : "");
    setAttribute(this.element, "aria-label", describe(position));
    return position;
  }

  // orient draws the empty board from a side's point of view.
  orient(side) {
    this.side = side;
    this.fen = undefined;
    this.shown.clear();
    this.pieces.replaceChildren();
    this.element.replaceChildren(...this.squares(), ...this.coordinates(), this.marks, this.selection, this.pieces, this.hint);
  }

  squares() {
    const dark = [];
    for (let i = 0; i < 64; i++) {
      const [x, y] = [i % 8, Math.floor(i / 8)];
      if ((x + y) % 2 === 1) dark.push(draw("rect", { class: "dark", x, y, width: 1, height: 1 }));
    }
    return dark;
  }

  coordinates() {
    const texts = [];
    for (let i = 0; i < 8; i++) {
      const at = this.side === "black" ? 7 - i : i;
      texts.push(draw("text", { class: "coordinate", x: i + 0.83, y: 7.94 }, "abcdefgh"[at]));
      texts.push(draw("text", { class: "coordinate", x: 0.05, y: 7.22 - i }, String(at + 1)));
    }
    return texts;
  }

  // corner returns the top left corner of a square.
  corner(square) {
    const [file, rank] = [fileOf(square), rankOf(square)];
    return this.side === "black" ? [7 - file, rank] : [file, 7 - rank];
  }

  mark(position, last, check) {
    const marks = movedSquares(last).map((square) => this.square(square, "last"));
    const king = check ? kingOf(position, position.turn) : "";
    if (king) marks.push(this.square(king, "check"));
    this.marks.replaceChildren(...marks);
  }

  // select marks a square as selected, none for "".
  select(square) {
    this.selection.replaceChildren(...(square ? [this.square(square, "selected")] : []));
  }

  // point draws an arrow for a move, or the piece of a drop on its square; none for "".
  point(uci, color) {
    this.hint.replaceChildren();
    if (!uci) return;
    const [[x1, y1], [x2, y2]] = [movedSquares(uci)[0], movedSquares(uci).at(-1)].map((square) => this.corner(square).map((c) => c + 0.5));
    if (uci[1] === "@") {
      this.hint.append(draw("circle", { cx: x2, cy: y2, r: 0.46 }), use({ color, type: uci[0].toLowerCase() }, { x: x2 - 0.5, y: y2 - 0.5, width: 1, height: 1 }));
      return;
    }
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const at = (along, across) => `${(x1 + along * dx - across * dy).toFixed(3)} ${(y1 + along * dy + across * dx).toFixed(3)}`;
    this.hint.append(draw("path", { d: `M${at(0.2, 0.09)}L${at(length - 0.4, 0.09)}L${at(length - 0.4, 0.24)}L${at(length, 0)}L${at(length - 0.4, -0.24)}L${at(length - 0.4, -0.09)}L${at(0.2, -0.09)}Z` }));
  }

  square(square, kind) {
    const [x, y] = this.corner(square);
    return draw("rect", { class: kind, x, y, width: 1, height: 1 });
  }

  // place puts the pieces on their squares. Pieces that did not move are not touched.
  place(position, last) {
    for (const [square, shown] of this.shown) {
      const piece = position.pieces.get(square);
      if (!piece || keyOf(piece) !== shown.key) {
        shown.elements.forEach((e) => e.remove());
        this.shown.delete(square);
      }
    }
    const [from, to] = [movedSquares(last)[0], movedSquares(last).at(-1)];
    for (const [square, piece] of position.pieces) {
      if (this.shown.has(square)) continue;
      const elements = this.piece(square, piece);
      this.pieces.append(...elements);
      this.shown.set(square, { key: keyOf(piece), elements });
      if (square === to && !reducedMotion.matches) elements.forEach((e) => this.move(e, from, to));
    }
  }

  piece(square, piece) {
    const [x, y] = this.corner(square);
    const elements = [use(piece, { x, y, width: 1, height: 1, "data-square": square })];
    if (piece.promoted) elements.push(draw("circle", { class: "mark", cx: x + 0.84, cy: y + 0.17, r: 0.14 }));
    return elements;
  }

  // move animates a piece: it slides to its square, or fades in if it was dropped.
  move(element, from, to) {
    const [[x1, y1], [x2, y2]] = [this.corner(from), this.corner(to)];
    const start = from === to ? { opacity: 0 } : { transform: `translate(${x1 - x2}px, ${y1 - y2}px)` };
    const end = from === to ? { opacity: 1 } : { transform: "none" };
    element.animate([start, end], { duration: 160, easing: "ease-out" });
  }
}

const keyOf = (piece) => piece.color + piece.type + (piece.promoted ? "~" : "");

const use = (piece, attributes) => draw("use", { href: `#piece-${piece.type}`, class: `piece ${piece.color}`, ...attributes });

// Pocket shows a side's pocket, with a fixed place for each type of piece.
export class Pocket {
  constructor() {
    this.element = make("div", { class: "pocket", role: "img" });
  }

  show(color, pocket) {
    if (this.color !== color) this.build(color);
    pocketOrder.forEach((type) => {
      const { slot, count } = this.slots[type];
      const n = pocket[type] ?? 0;
      slot.classList.toggle("has", n > 0);
      setText(count, String(n));
    });
    setAttribute(this.element, "aria-label", `${color} has ${describePocket(pocket)}`);
  }

  build(color) {
    this.color = color;
    this.slots = {};
    this.element.replaceChildren(...pocketOrder.map((type) => {
      const count = make("span", { class: "count" });
      const picture = draw("svg", { viewBox: "0 0 1 1" }, use({ color, type }, { width: 1, height: 1 }));
      const slot = make("span", { class: "slot" }, picture, count);
      this.slots[type] = { slot, count };
      return slot;
    }));
  }
}
