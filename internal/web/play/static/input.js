// Moves by mouse, finger and keyboard: a piece is selected on the board or in the pocket,
// then its destination, or it is dragged there. Which moves are legal is the server's word.

import { draw, make } from "./dom.js";
import { choosePromotion } from "./promotion.js";

const dragDistance = 4; // pixels that the pointer moves before a click is a drag

// Input turns what happens on a stage into moves, for which it calls play(uci, dragged).
// Escape and a click elsewhere call cancel.
export class Input {
  constructor(stage, squares, onSelect, play, cancel) {
    this.stage = stage;
    this.squares = squares;
    this.onSelect = onSelect;
    this.play = play;
    this.cancel = cancel;
    this.setMoves([]);
    stage.addEventListener("pointerdown", (event) => this.down(event));
    stage.addEventListener("pointermove", (event) => this.move(event));
    stage.addEventListener("pointerup", (event) => this.up(event));
    stage.addEventListener("pointercancel", () => this.reset());
    stage.addEventListener("keydown", (event) => this.key(event));
  }

  // setMoves sets the legal moves in UCI notation. A drop's origin is such as N@. What is selected
  // stays so while it can move.
  setMoves(list) {
    this.moves = new Map(); // origin -> destination -> moves
    for (const uci of list) {
      const [from, to] = [uci.slice(0, 2), uci.slice(2, 4)];
      if (!this.moves.has(from)) this.moves.set(from, new Map());
      const byTarget = this.moves.get(from);
      byTarget.set(to, [...(byTarget.get(to) ?? []), uci]);
    }
    const posted = this.drag && this.drag.pointer === undefined;
    if (this.moves.has(this.selected) && !posted) this.select(this.selected);
    else this.reset();
  }

  // targets returns where the selected piece may go.
  targets() {
    return this.moves.get(this.selected) ?? new Map();
  }

  // reset deselects and ends a drag.
  reset() {
    this.drop();
    this.select("");
  }

  select(origin) {
    this.selected = origin;
    this.onSelect();
  }

  // activate selects an origin, or moves the selected piece to it.
  activate(origin) {
    if (this.targets().has(origin)) this.to(origin, false);
    else this.select(this.moves.has(origin) && origin !== this.selected ? origin : "");
  }

  // to moves the selected piece, once it is chosen what a pawn becomes.
  async to(target, dragged) {
    const moves = this.targets().get(target);
    const [from, known] = [this.selected, this.moves];
    const uci = moves.length === 1 ? moves[0] : await choosePromotion(this.squares, target, moves);
    if (this.moves !== known && !this.moves.get(from)?.get(target)?.includes(uci)) { // the game has gone on
      this.reset();
      return;
    }
    this.select("");
    if (uci) this.play(uci, dragged);
    else this.drop();
  }

  originAt(element) {
    const place = element.closest("[data-at], [data-from]");
    return place?.dataset.at ?? place?.dataset.from ?? "";
  }

  down(event) {
    if (!event.isPrimary || event.button !== 0 || event.target.closest(".promotion")) return;
    const origin = this.originAt(event.target);
    if (!origin) return;
    this.drop(); // what the last drag may have left
    event.preventDefault(); // neither text selection nor scrolling
    if (this.squares.cells.has(origin)) {
      this.squares.makeCurrent(origin);
      this.squares.focus();
    }
    if (this.targets().has(origin)) {
      this.to(origin, false);
      return;
    }
    this.cancel();
    const again = this.selected === origin;
    this.select(this.moves.has(origin) ? origin : "");
    if (!this.selected) return;
    this.drag = { again, pointer: event.pointerId, x: event.clientX, y: event.clientY, from: event.target.closest("[data-at], [data-from]") };
    this.stage.setPointerCapture(event.pointerId);
  }

  move(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    if (!drag.ghost && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < dragDistance) return;
    if (!drag.ghost) this.lift(event.pointerType);
    drag.ghost.style.translate = `${event.clientX}px ${event.clientY}px`;
    const over = this.squares.under(event.clientX, event.clientY);
    this.squares.hover(this.targets().has(over) ? over : "");
  }

  // lift begins to drag: a picture of the piece follows the pointer.
  lift(pointerType) {
    const { drag } = this;
    const square = drag.from.dataset.at;
    const picture = square ? this.stage.querySelector(`use[data-square="${square}"]`) : drag.from.querySelector("use");
    const piece = picture.cloneNode();
    for (const [name, value] of [["x", 0], ["y", 0], ["width", 1], ["height", 1]]) piece.setAttribute(name, value);
    piece.removeAttribute("data-square");
    drag.ghost = make("div", { class: pointerType === "touch" ? "ghost touch" : "ghost" }, draw("svg", { viewBox: "0 0 1 1" }, piece));
    drag.ghost.style.setProperty("--size", `${this.squares.element.getBoundingClientRect().width / 8}px`);
    drag.lifted = square ? [picture, picture.nextElementSibling].filter((e) => e === picture || e?.classList.contains("mark")) : [];
    drag.lifted.forEach((e) => e.classList.add("lifted"));
    document.body.append(drag.ghost);
  }

  up(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    this.squares.hover("");
    if (!drag.ghost) {
      this.drag = undefined;
      if (drag.again) this.select("");
      return;
    }
    const target = this.squares.under(event.clientX, event.clientY);
    if (!this.targets().has(target)) {
      this.drop();
      return;
    }
    // The piece waits on its square for the server's word.
    const box = this.squares.cells.get(target).getBoundingClientRect();
    drag.ghost.classList.remove("touch");
    drag.ghost.style.translate = `${box.x + box.width / 2}px ${box.y + box.height / 2}px`;
    drag.pointer = undefined;
    this.to(target, true);
  }

  // drop ends a drag: the piece is drawn where it stands.
  drop() {
    this.drag?.ghost?.remove();
    this.drag?.lifted?.forEach((e) => e.classList.remove("lifted"));
    this.drag = undefined;
    this.squares.hover("");
  }

  key(event) {
    if (event.key === "Escape") {
      this.cancel();
      this.reset();
      return;
    }
    const origin = this.originAt(event.target);
    if (!origin || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    this.activate(origin);
    if (this.selected && event.target.dataset.from) this.squares.focus(); // on to the square of the drop
  }
}
