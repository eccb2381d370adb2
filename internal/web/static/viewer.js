// A viewer that steps through a finished game, by keys or buttons.

import { Board, Pocket } from "./board.js";
import { clockText } from "./clock.js";
import { make, setText } from "./dom.js";
import { Curve, evalText } from "./evaluation.js";
import { MoveList, player, stepButtons, stepOf } from "./moves.js";
import { other, parse } from "./position.js";

export class Viewer {
  constructor() {
    this.board = new Board();
    this.pockets = [new Pocket(), new Pocket()];
    this.curve = new Curve();
    this.now = make("p", { class: "now", "aria-live": "polite" });
    this.title = make("h3", { class: "visually-hidden" });
    this.names = [make("div", { class: "side" }), make("div", { class: "side" })];
    this.links = make("p", { class: "links" });
    this.list = new MoveList((ply) => this.go(ply));
    this.stage = make("div", { class: "left", tabindex: "0", role: "group", "aria-label": "Board of a game: arrow keys step, Home and End go to start and end", "aria-keyshortcuts": "ArrowLeft ArrowRight Home End" },
      this.names[0], this.pockets[0].element, this.board.element, this.pockets[1].element, this.names[1], stepButtons(() => this.ply, (ply) => this.go(ply)), this.now, this.curve.element, this.links);
    this.element = make("div", { id: "viewer", class: "viewer" }, this.title, this.stage, this.list.element);
    this.stage.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const to = stepOf(event, this.ply);
    if (to === undefined) return;
    event.preventDefault();
    this.go(to);
  }

  focus() {
    this.stage.focus();
  }

  load(game) {
    const at = game.id === this.game?.id && this.ply < this.game.steps.length ? this.ply : Infinity;
    this.game = game;
    this.points = game.steps.map((step, i) => ({ ply: i + 1, ...step.eval })).filter((e) => e.depth);
    setText(this.title, `${game.white.name} against ${game.black.name}: ${game.result || "in progress"}`);
    this.names[0].replaceChildren(...player(game[other(game.us)]));
    this.names[1].replaceChildren(...player(game[game.us]));
    this.list.show(game.steps.map((step) => step.san), game.firstPly);
    this.go(at);
  }

  // go shows the position after a number of plies.
  go(ply) {
    const { game } = this;
    this.ply = Math.max(0, Math.min(ply, game.steps.length));
    const step = game.steps[this.ply - 1];
    const fen = step?.fen ?? game.start;
    this.board.show(fen, step?.uci ?? "", step?.check ?? false, game.us);
    const { pockets } = parse(fen);
    this.pockets[0].show(other(game.us), pockets[other(game.us)]);
    this.pockets[1].show(game.us, pockets[game.us]);
    this.curve.show(this.points, game.steps.length, this.ply);
    setText(this.now, this.describe(step));
    this.list.select(this.ply);
  }

  describe(step) {
    if (!step) return "Start position";
    const ply = this.game.firstPly + this.ply - 1;
    const parts = [`${Math.floor(ply / 2) + 1}${ply % 2 ? "…" : "."} ${step.san}`];
    if (step.clock !== undefined) parts.push(`clock ${clockText(step.clock)}`);
    if (step.eval) parts.push(`evaluation ${evalText(step.eval)}, depth ${step.eval.depth}`);
    if (this.ply === this.game.steps.length && this.game.result) parts.push(this.game.result);
    return parts.join(" · ");
  }
}
