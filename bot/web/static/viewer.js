// A viewer that steps through a finished game, by keys or buttons.

import { Board, Pocket } from "./board.js";
import { clockText } from "./clock.js";
import { draw, make, setAttribute, setText } from "./dom.js";
import { Curve, evalText } from "./evaluation.js";
import { parse } from "./position.js";
import { player } from "./panels.js";

const other = (color) => (color === "white" ? "black" : "white");

export class Viewer {
  constructor() {
    this.board = new Board();
    this.pockets = [new Pocket(), new Pocket()];
    this.curve = new Curve();
    this.now = make("p", { class: "now", "aria-live": "polite" });
    this.title = make("h3", { class: "visually-hidden" });
    this.names = [make("div", { class: "side" }), make("div", { class: "side" })];
    this.list = make("ol", { class: "moves", "aria-label": "Moves" });
    this.stage = make("div", { class: "left", tabindex: "0", role: "group", "aria-label": "Board of a finished game: arrow keys step, Home and End go to start and end", "aria-keyshortcuts": "ArrowLeft ArrowRight Home End" },
      this.names[0], this.pockets[0].element, this.board.element, this.pockets[1].element, this.names[1], this.steps(), this.now, this.curve.element);
    this.element = make("div", { id: "viewer", class: "viewer" }, this.title, this.stage, this.list);
    this.stage.addEventListener("keydown", (event) => this.key(event));
  }

  steps() {
    const step = (shape, label, go) => {
      const icon = draw("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" }, draw("path", { d: shape }));
      const button = make("button", { type: "button", "aria-label": label, title: label }, icon);
      button.addEventListener("click", () => this.go(go()));
      return button;
    };
    return make("div", { class: "steps" },
      step("M2 2h1.5v8H2zM11 2v8L4.5 6z", "To the start", () => 0), step("M9.5 2v8L3 6z", "One move back", () => this.ply - 1),
      step("M2.5 2v8L9 6z", "One move forward", () => this.ply + 1), step("M8.5 2H10v8H8.5zM1 2v8l6.5-4z", "To the end", () => Infinity));
  }

  key(event) {
    const to = { ArrowLeft: this.ply - 1, ArrowRight: this.ply + 1, Home: 0, End: Infinity }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.go(to);
  }

  focus() {
    this.stage.focus();
  }

  load(game) {
    this.game = game;
    setText(this.title, `${game.white.name} against ${game.black.name}: ${game.result}`);
    this.names[0].replaceChildren(...player(game[other(game.us)]));
    this.names[1].replaceChildren(...player(game[game.us]));
    this.list.replaceChildren(...this.rows());
    this.go(Infinity);
  }

  // rows lists the moves in pairs; the first move may be Black's.
  rows() {
    const rows = new Map();
    this.buttons = this.game.steps.map((step, i) => {
      const ply = this.game.firstPly + i;
      const number = Math.floor(ply / 2) + 1;
      if (!rows.has(number)) rows.set(number, [make("span", { class: "number" }, `${number}.`)]);
      if (rows.get(number).length === 1 && ply % 2 === 1) rows.get(number).push(make("span", {}, "…"));
      const button = make("button", { type: "button" }, step.san);
      button.addEventListener("click", () => this.go(i + 1));
      rows.get(number).push(button);
      return button;
    });
    return [...rows.values()].map((cells) => make("li", {}, ...cells));
  }

  // go shows the position after a number of plies.
  go(ply) {
    const { game } = this;
    this.buttons[this.ply - 1]?.removeAttribute("aria-current");
    this.ply = Math.max(0, Math.min(ply, game.steps.length));
    const step = game.steps[this.ply - 1];
    const fen = step?.fen ?? game.start;
    this.board.show(fen, step?.uci ?? "", step?.check ?? false, game.us);
    const { pockets } = parse(fen);
    this.pockets[0].show(other(game.us), pockets[other(game.us)]);
    this.pockets[1].show(game.us, pockets[game.us]);
    this.curve.show(game.curve ?? [], game.steps.length, game.us, this.ply);
    setText(this.now, this.describe(step));
    const button = this.buttons[this.ply - 1];
    if (button) {
      setAttribute(button, "aria-current", "step");
      this.list.scrollTop = button.offsetTop - this.list.clientHeight / 2;
    } else {
      this.list.scrollTop = 0;
    }
  }

  describe(step) {
    if (!step) return "Start position";
    const ply = this.game.firstPly + this.ply - 1;
    const parts = [`${Math.floor(ply / 2) + 1}${ply % 2 ? "…" : "."} ${step.san}`];
    if (step.clock !== undefined) parts.push(`clock ${clockText(step.clock)}`);
    if (step.eval) parts.push(`evaluation ${evalText(step.eval, this.game.us)}, depth ${step.eval.depth}`);
    if (this.ply === this.game.steps.length) parts.push(this.game.result);
    return parts.join(" · ");
  }
}
