// Squares lie over a board: they have the focus, say what stands on them, and show where
// the selected piece may go.

import { make, setAttribute } from "./dom.js";
import { describePiece, fileOf, rankOf, squareAt } from "./position.js";

export class Squares {
  constructor() {
    this.cells = new Map(); // square -> element
    for (let i = 0; i < 64; i++) {
      const square = squareAt(i % 8, Math.floor(i / 8));
      this.cells.set(square, make("div", { class: "cell", role: "gridcell", "data-at": square, tabindex: "-1" }));
    }
    this.element = make("div", { class: "squares", role: "grid", "aria-label": "Board: arrow keys move, Enter selects a piece and its destination" });
    this.element.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("pointerdown", () => this.element.classList.add("by-pointer"), true);
    document.addEventListener("keydown", () => this.element.classList.remove("by-pointer"), true);
  }

  // orient arranges the squares from a side's point of view.
  orient(side) {
    if (this.side === side) return;
    this.side = side;
    const rows = [];
    for (let y = 0; y < 8; y++) {
      const row = make("div", { role: "row" });
      for (let x = 0; x < 8; x++) row.append(this.cells.get(this.at(x, y)));
      rows.push(row);
    }
    this.element.replaceChildren(...rows);
    this.makeCurrent(this.current ?? (side === "black" ? "e7" : "e2"));
  }

  // at returns the square in a column and row of the display, counted from the top left.
  at(x, y) {
    return this.side === "black" ? squareAt(7 - x, y) : squareAt(x, 7 - y);
  }

  // under returns the square under a point of the window, "" for none.
  under(clientX, clientY) {
    const box = this.element.getBoundingClientRect();
    const [x, y] = [Math.floor(((clientX - box.left) / box.width) * 8), Math.floor(((clientY - box.top) / box.height) * 8)];
    return x >= 0 && x < 8 && y >= 0 && y < 8 ? this.at(x, y) : "";
  }

  // column and row return where a square is displayed, counted from the top left.
  column(square) {
    return this.side === "black" ? 7 - fileOf(square) : fileOf(square);
  }
  row(square) {
    return this.side === "black" ? rankOf(square) : 7 - rankOf(square);
  }

  // show labels the squares: with the pieces, the selected one ("" for none), and where it
  // may go.
  show(position, selected, targets) {
    for (const [square, cell] of this.cells) {
      const piece = position.pieces.get(square);
      const target = targets.has(square);
      const label = `${square}, ${piece ? describePiece(piece) : "empty"}${target ? ", possible" : ""}`;
      setAttribute(cell, "aria-label", label);
      setAttribute(cell, "aria-selected", square === selected);
      cell.classList.toggle("target", target);
      cell.classList.toggle("taken", target && piece !== undefined);
    }
  }

  // hover marks the square under a dragged piece, "" for none.
  hover(square) {
    this.hovered?.classList.remove("hovered");
    this.hovered = this.cells.get(square);
    this.hovered?.classList.add("hovered");
  }

  // setPremove marks the squares of a premove.
  setPremove(list) {
    for (const [square, cell] of this.cells) cell.classList.toggle("premove", list.includes(square));
  }

  // setMovable marks the squares whose pieces can be picked up.
  setMovable(origins) {
    for (const [square, cell] of this.cells) cell.classList.toggle("movable", origins.has(square));
  }

  makeCurrent(square) {
    if (this.current) setAttribute(this.cells.get(this.current), "tabindex", "-1");
    this.current = square;
    setAttribute(this.cells.get(square), "tabindex", "0");
  }

  focus() {
    this.cells.get(this.current).focus({ preventScroll: true });
  }

  // key moves the focus by the arrow keys.
  key(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const [x, y] = [this.column(this.current) + step[0], this.row(this.current) + step[1]];
    if (x < 0 || x > 7 || y < 0 || y > 7) return;
    this.makeCurrent(this.at(x, y));
    this.focus();
  }
}
