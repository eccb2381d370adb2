// The stage: the board between the pockets and the players, where the person moves.

import { Board, Pocket } from "./board.js";
import { showClock } from "./clock.js";
import { announce, make, setAttribute, setText } from "./dom.js";
import { Input } from "./input.js";
import { levelNumber } from "./levels.js";
import { capitalize, movedSquares, nameOf, other, parse, pocketOrder } from "./position.js";
import { premoves } from "./premove.js";
import { Squares } from "./squares.js";

const colors = ["white", "black"];

export class Stage {
  // play(uci) sends a move and resolves to "" or to what the server has against it.
  constructor(root, play) {
    this.root = root;
    this.board = new Board();
    this.squares = new Squares();
    this.field = make("div", { class: "field" }, this.board.element, this.squares.element);
    this.pockets = {};
    this.players = {};
    for (const color of colors) {
      this.pockets[color] = new Pocket();
      this.players[color] = new Player(color);
    }
    this.play = play;
    this.premove = "";
    this.input = new Input(root, this.squares, () => this.mark(), (uci, dragged) => this.enter(uci, dragged), () => this.setPremove(""));
  }

  // enter plays a move, or keeps it until it is the person's turn.
  async enter(uci, dragged) {
    if (!this.game.legal.length) {
      this.input.reset();
      this.setPremove(uci);
      return;
    }
    this.dragged = dragged;
    if (!(await this.play(uci))) return;
    this.dragged = false;
    this.input.reset();
  }

  // setPremove keeps a move for the person's turn, none for "".
  setPremove(uci) {
    this.premove = uci;
    this.premoveFor = this.game;
    this.squares.setPremove(movedSquares(uci));
    if (uci) announce(`Premove ${uci}`);
  }

  // keepsPremove reports whether a game is at the position of the premove, or has gone on from it
  // by the engine's move alone.
  keepsPremove({ revision, steps }) {
    const before = this.premoveFor;
    return revision === before.revision || (revision === before.revision + 1 && steps.length === before.steps.length + 1);
  }

  // playPremove plays the premove if it has become legal.
  playPremove(legal) {
    const uci = this.premove;
    this.setPremove("");
    if (legal.includes(uci)) this.play(uci);
  }

  // show draws the position after a number of plies of a game, from a side's point of view.
  show(game, ply, names, side) {
    const step = game.steps[ply - 1];
    if (this.side !== side) this.orient(side);
    this.game = game;
    const fen = step?.fen ?? game.start;
    const shown = `${game.revision} ${ply} ${fen}`;
    this.board.show(fen, step?.uci ?? "", step ? step.check ?? false : game.check, side, !this.dragged);
    this.dragged = false;
    this.position = parse(fen);
    for (const color of colors) {
      this.pockets[color].show(color, this.position.pockets[color]);
      this.players[color].show(names[color], color === game.us ? "" : levelNumber(game.level));
    }
    if (this.shown !== shown) this.input.setMoves(this.movesAt(ply));
    this.shown = shown;
    if (game.over || ply < game.steps.length || (this.premove && !this.keepsPremove(game))) this.setPremove("");
    else if (this.premove && game.legal.length) this.playPremove(game.legal);
    this.labelPockets();
    this.squares.setMovable(this.input.moves);
    this.turn = parse(game.steps.at(-1)?.fen ?? game.start).turn;
  }

  // movesAt returns what the person may enter: legal moves, or premoves while the engine
  // thinks.
  movesAt(ply) {
    if (ply < this.game.steps.length) return [];
    return this.game.thinking ? premoves(this.position, this.game.us) : this.game.legal;
  }

  // point shows a move of the side to move as a hint, none for "".
  point(uci) {
    this.board.point(uci, this.position.turn);
  }

  orient(side) {
    this.side = side;
    this.board.select("");
    this.input.reset();
    const [top, bottom] = [other(side), side];
    this.squares.orient(side);
    this.root.replaceChildren(this.players[top].element, this.pockets[top].element, this.field, this.pockets[bottom].element, this.players[bottom].element);
  }

  // labelPockets makes buttons of the pieces that the person can drop.
  labelPockets() {
    for (const color of colors) {
      const ours = color === this.game.us;
      const pocket = this.pockets[color];
      setAttribute(pocket.element, "role", "group");
      for (const type of pocketOrder) {
        const { slot } = pocket.slots[type];
        const origin = `${type.toUpperCase()}@`;
        if (!ours) {
          for (const name of ["role", "data-from", "tabindex", "aria-label", "aria-disabled"]) slot.removeAttribute(name);
          slot.classList.remove("movable");
          continue;
        }
        const n = this.position.pockets[color][type] ?? 0;
        const movable = this.input.moves.has(origin);
        setAttribute(slot, "role", "button");
        setAttribute(slot, "data-from", origin);
        setAttribute(slot, "tabindex", movable ? "0" : "-1");
        setAttribute(slot, "aria-disabled", !movable);
        setAttribute(slot, "aria-label", `${capitalize(nameOf(type))}, ${n} in hand`);
        slot.classList.toggle("movable", movable);
      }
    }
  }

  // mark shows what is selected, and where it may go.
  mark() {
    if (!this.position) return;
    const { selected } = this.input;
    this.squares.show(this.position, selected, this.input.targets());
    this.board.select(this.squares.cells.has(selected) ? selected : "");
    for (const slot of this.root.querySelectorAll("[data-from]")) {
      const pressed = slot.dataset.from === selected;
      setAttribute(slot, "aria-pressed", pressed);
      slot.classList.toggle("selected", pressed);
    }
  }

  // tick updates the clocks.
  tick() {
    if (!this.game) return;
    for (const color of colors) showClock(this.players[color].clock, this.game.clock, color, this.turn);
  }
}

// Player is a name with a clock.
class Player {
  constructor(color) {
    this.name = make("span", { class: "name" });
    this.level = make("span", { class: "rating" });
    this.clock = make("span", { class: "clock", role: "timer", "aria-live": "off", "aria-label": `${capitalize(color)}'s clock` });
    this.element = make("div", { class: "side" }, this.name, this.level, this.clock);
  }

  show(name, level) {
    setText(this.name, name);
    setText(this.level, level);
  }
}
