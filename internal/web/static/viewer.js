// A viewer of a game: it steps through it by keys, buttons, the list of moves and the curve,
// and through the lines that an analysis has found to be better.

import { Board, Pocket } from "./board.js";
import { clockText, showClock } from "./clock.js";
import { button, make, setAttribute, setText } from "./dom.js";
import { Bar, Curve, evalText, whiteShare } from "./evaluation.js";
import { MoveList, moveNumber, player, stepButtons, stepOf } from "./moves.js";
import { other, parse } from "./position.js";

const judgments = { "?!": "inaccuracy", "?": "mistake", "??": "blunder" };

export class Viewer {
  constructor(element) {
    this.board = new Board();
    this.bar = new Bar();
    this.pockets = [new Pocket(), new Pocket()]; // at the top, at the bottom
    this.names = [make("div", { class: "side" }), make("div", { class: "side" })];
    this.clocks = [make("span"), make("span")];
    this.title = make("h3", { class: "visually-hidden" });
    this.move = make("span", { class: "strong" });
    this.worth = make("span", { class: "quiet" });
    this.lines = make("div", { class: "lines" });
    this.links = make("p", { class: "links" });
    this.findings = make("div", { class: "findings" });
    this.list = new MoveList((ply) => this.go(ply));
    this.curve = new Curve((ply) => this.go(ply));
    const steps = stepButtons(() => this.ply, (ply) => this.step(ply));
    steps.append(button("⇅", () => {
      this.side = other(this.side);
      this.go(this.ply);
    }, { title: "Flip the board", "aria-label": "Flip the board" }));
    this.stage = make("div", { class: "stage", tabindex: "0", role: "group", "aria-label": "Board: arrow keys step, Home and End go to start and end", "aria-keyshortcuts": "ArrowLeft ArrowRight Home End" },
      this.names[0], this.pockets[0].element, make("div", { class: "area" }, this.bar.element, this.board.element),
      this.pockets[1].element, this.names[1], steps);
    const now = make("p", { class: "now", "aria-live": "polite" }, this.move, " ", this.worth);
    this.element = element;
    element.classList.add("viewer");
    element.replaceChildren(this.title, this.stage, make("div", { class: "beside" }, this.list.element, now, this.lines, this.links),
      make("div", { class: "below" }, this.curve.element, this.findings));
    element.addEventListener("keydown", (event) => this.key(event));
  }

  // key steps if an event is a key for that.
  key(event) {
    const to = stepOf(event, this.ply);
    if (to === undefined || event.defaultPrevented) return;
    event.preventDefault();
    this.step(to);
  }

  // load shows a game after a number of plies: by default where a viewer of the same game was,
  // or at the end.
  load(game, ply) {
    const same = game.id && game.id === this.game?.id;
    const atEnd = !same || this.ply === this.game.steps.length;
    this.game = game;
    if (!same) this.side = game.us;
    this.element.hidden = false;
    setText(this.title, `${game.white.name} against ${game.black.name}: ${game.result || "in progress"}`);
    this.points = [{ ply: 0, ...game.eval }, ...game.steps.map((step, i) => ({ ply: i + 1, kind: judgments[step.glyph], ...step.eval }))]
      .filter((e) => e.depth);
    const end = game.steps.length;
    this.mate = game.steps.at(-1)?.san.endsWith("#") ? { mate: this.isWhite(end) ? 1 : -1 } : undefined; // the end
    if (this.points.length) this.points.push({ ...this.points.at(-1), kind: "", ply: end, ...this.mate });
    this.curve.element.toggleAttribute("hidden", !this.points.length);
    this.list.show(game.steps.map((step) => step.san + (step.glyph ?? "")), game.firstPly);
    this.findings.replaceChildren(...this.findingsOf(game));
    this.go(ply ?? (atEnd ? Infinity : this.ply));
  }

  // findingsOf returns what an analysis has found in a game.
  findingsOf({ summary, by, steps, white, black }) {
    if (!summary) return [];
    const head = [["white", white], ["black", black]]
      .map(([color, { name }]) => make("th", { scope: "col" }, make("span", { class: `disc ${color}` }), name));
    const rows = summary.map(([what, ...cells]) => make("tr", {}, make("th", { scope: "row" }, what), ...cells.map((cell) => make("td", {}, cell))));
    const table = make("table", { class: "numbers" }, make("thead", {}, make("tr", {}, make("td"), ...head)), make("tbody", {}, ...rows));
    const list = steps.flatMap((step, i) => (step.glyph ? [this.judgment(step, i + 1)] : []));
    const better = list.length ? make("ol", { class: "judgments", "aria-label": "What was better" }, ...list) : make("p", { class: "empty" }, "No move lost much.");
    const note = make("p", { class: "quiet" }, `${by}. Evaluations are from White's point of view; a point is a hundredth of the expected score.`);
    return [table, better, note];
  }

  // judgment returns the entry of a move that lost winning chances.
  judgment(step, ply) {
    const kind = judgments[step.glyph];
    const show = button(this.describeMove(ply), () => {
      this.go(ply);
      this.stage.scrollIntoView({ block: "nearest" });
    }, { class: `judgment ${kind}`, "data-ply": ply });
    const [before, after] = [this.evaluationAt(ply - 1), step.eval].map((e) => (e ? evalText(e) : "mate"));
    return make("li", {}, show, " ", make("span", { class: "quiet" }, `${kind}, ${before} → ${after}`), this.line("", ply - 1));
  }

  evaluationAt(ply) {
    return ply ? this.game.steps[ply - 1].eval : this.game.eval;
  }

  // go shows the position after a number of plies.
  go(ply) {
    const { game } = this;
    this.ply = Math.max(0, Math.min(ply, game.steps.length));
    const step = game.steps[this.ply - 1];
    const e = this.evaluationAt(this.ply);
    this.inLine = undefined;
    this.mark(".line-move", undefined);
    this.showBoard(step, e?.steps?.[0]);
    const shown = e ?? (this.ply === game.steps.length ? this.mate : undefined);
    this.bar.show(shown && whiteShare(shown), this.side);
    this.curve.show(this.points, game.steps.length, this.ply);
    setText(this.move, this.describeMove(this.ply));
    setText(this.worth, this.describeWorth(step, e));
    const lines = step?.glyph ? [["Better was: ", this.ply - 1]] : [];
    this.lines.replaceChildren(...[...lines, ["Best now: ", this.ply]].map(([label, at]) => this.line(label, at)));
    this.list.select(this.ply);
    this.mark(".judgment", this.element.querySelector(`.judgment[data-ply="${this.ply}"]`));
  }

  // mark marks one of the elements of a kind as the current one, none for undefined.
  mark(kind, current) {
    for (const element of this.element.querySelectorAll(`${kind}[aria-current]`)) element.removeAttribute("aria-current");
    if (current) setAttribute(current, "aria-current", "step");
  }

  // showBoard shows the position after a step, or the first one of the game, and points to the
  // next step of a line.
  showBoard(step, next) {
    const { game, side } = this;
    const fen = step?.fen ?? game.start;
    this.board.show(fen, step?.uci ?? "", step?.check ?? false, side);
    const { pockets, turn } = parse(fen);
    this.turn = turn;
    [other(side), side].forEach((color, i) => {
      this.pockets[i].show(color, pockets[color]);
      this.names[i].replaceChildren(...player(game[color]), this.clocks[i]);
      this.clocks[i].className = "clock";
      setText(this.clocks[i], this.clockAt(color));
    });
    this.board.point(next?.uci ?? "", turn);
  }

  isWhite(ply) {
    return (this.game.firstPly + ply) % 2 === 1;
  }

  // clockAt returns the time that a side had left at the ply shown, "" if it is unknown.
  clockAt(color) {
    const step = this.game.steps.findLast((s, i) => i < this.ply && s.clock !== undefined && this.isWhite(i + 1) === (color === "white"));
    return step ? clockText(step.clock) : "";
  }

  // tick shows the running clocks at the end of a game in progress.
  tick(clocks, turn) {
    if (this.inLine || this.ply < this.game.steps.length) return;
    [other(this.side), this.side].forEach((color, i) => showClock(this.clocks[i], clocks, color, turn));
  }

  // line returns the best moves after a ply, to click through on the board.
  line(label, ply) {
    const element = make("p", { class: "better" });
    const steps = this.evaluationAt(ply)?.steps ?? [];
    if (steps.length) element.append(make("span", { class: "quiet" }, label));
    const buttons = steps.map((step, i) => {
      const at = this.game.firstPly + ply + i;
      const move = button((at % 2 === 0 || i === 0 ? `${moveNumber(at)} ` : "") + step.san, () => {
        if (this.ply !== ply && this.ply !== ply + 1) this.go(ply + 1); // a line of another judgment
        this.showLine({ ply, buttons }, i);
        this.stage.scrollIntoView({ block: "nearest" });
      }, { class: "line-move" });
      element.append(move, " ");
      return move;
    });
    return element;
  }

  // showLine shows the position after a move of the best line after a ply.
  showLine(line, i) {
    const e = this.evaluationAt(line.ply);
    this.inLine = { line, i };
    this.mark(".line-move", line.buttons[i]);
    this.showBoard(e.steps[i], e.steps[i + 1]);
    this.bar.show(whiteShare(e), this.side);
    setText(this.move, line.buttons[i].textContent);
    setText(this.worth, `best line, ${evalText(e)}`);
  }

  // step goes to a ply, but to the next or the previous move of a line if one is shown.
  step(ply) {
    const by = ply - this.ply;
    if (!this.inLine || Math.abs(by) !== 1) {
      this.go(ply);
      return;
    }
    const { line, i } = this.inLine;
    if (line.buttons[i + by]) this.showLine(line, i + by);
    else if (by < 0) this.go(line.ply);
  }

  describeMove(ply) {
    const step = this.game.steps[ply - 1];
    return step ? `${moveNumber(this.game.firstPly + ply - 1)} ${step.san}${step.glyph ?? ""}` : "Start position";
  }

  describeWorth(step, e) {
    const parts = [];
    if (e) parts.push(`${evalText(e)}, depth ${e.depth}`);
    if (this.ply === this.game.steps.length && this.game.result) parts.push(this.game.result);
    return parts.join(" · ");
  }
}
