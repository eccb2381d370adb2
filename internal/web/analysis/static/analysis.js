// The page of an analysed game: a board to step through, the curve, what was better.

import { Board, Pocket } from "./board.js";
import { clockText } from "./clock.js";
import { byId, make, setAttribute, setText } from "./dom.js";
import { Bar, evalText } from "./evaluation.js";
import { MoveList, player, stepButtons, stepOf } from "./moves.js";
import { other, parse } from "./position.js";
import { themeButton } from "./theme.js";

const game = JSON.parse(byId("game").textContent);

// Viewer steps through the game.
class Viewer {
  constructor() {
    this.side = "white";
    this.ply = 0;
    this.board = new Board();
    this.pockets = { top: new Pocket(), bottom: new Pocket() };
    this.names = { top: make("div", { class: "side" }), bottom: make("div", { class: "side" }) };
    this.bar = new Bar();
    this.move = make("span", { class: "strong" });
    this.worth = make("span", { class: "quiet" });
    this.now = make("p", { class: "now", "aria-live": "polite" }, this.move, " ", this.worth);
    this.lines = make("div", { class: "lines" });
    const flip = make("button", { type: "button", title: "Flip the board", "aria-label": "Flip the board" }, "⇅");
    flip.addEventListener("click", () => this.flip());
    const steps = stepButtons(() => this.ply, (ply) => this.step(ply));
    steps.append(flip);
    byId("stage").replaceChildren(this.names.top, this.pockets.top.element,
      make("div", { class: "area" }, this.bar.element, this.board.element),
      this.pockets.bottom.element, this.names.bottom, steps);
    this.list = new MoveList((ply) => this.go(ply));
    this.list.show(game.steps.map((step) => step.san + (step.glyph ?? "")), game.firstPly);
    byId("moves").replaceChildren(this.list.element, this.now, this.lines);
  }

  flip() {
    this.side = other(this.side);
    this.go(this.ply);
  }

  // go shows the position after a number of plies.
  go(ply) {
    this.ply = Math.max(0, Math.min(ply, game.steps.length));
    const step = game.steps[this.ply - 1];
    const position = game.positions[this.ply];
    this.inLine = undefined;
    document.querySelector(".line-move[aria-current]")?.removeAttribute("aria-current");
    this.showBoard(step);
    this.board.point(position.line?.[0]?.uci ?? "", this.turn);
    this.bar.show(position.white, this.side);
    setText(this.move, this.describeMove(step));
    setText(this.worth, this.describeWorth(step, position));
    const lines = step?.glyph ? [["Better was: ", this.ply - 1]] : [];
    this.lines.replaceChildren(...[...lines, ["Best now: ", this.ply]].map(([label, at]) => this.line(label, at)));
    setAttribute(byId("marker"), "d", `M${this.ply} 0V100`);
    this.list.select(this.ply);
    for (const judgment of document.querySelectorAll(".judgment")) {
      if (Number(judgment.dataset.ply) === this.ply) setAttribute(judgment, "aria-current", "step");
      else judgment.removeAttribute("aria-current");
    }
  }

  // showBoard shows the position after a step, or the first one of the game.
  showBoard(step) {
    const fen = step?.fen ?? game.start;
    this.board.show(fen, step?.uci ?? "", step?.check ?? false, this.side);
    const { pockets, turn } = parse(fen);
    this.turn = turn;
    for (const [place, side] of [["top", other(this.side)], ["bottom", this.side]]) {
      this.pockets[place].show(side, pockets[side]);
      this.names[place].replaceChildren(...player(game[side]));
    }
  }

  // line returns the best moves after a ply, to click through on the board.
  line(label, ply) {
    const element = make("p", { class: "better" });
    const steps = game.positions[ply].line ?? [];
    if (steps.length) element.append(make("span", { class: "quiet" }, label));
    const buttons = steps.map((step, i) => {
      const at = game.firstPly + ply + i;
      const number = at % 2 === 0 ? `${at / 2 + 1}. ` : i === 0 ? `${(at - 1) / 2 + 1}… ` : "";
      const button = make("button", { type: "button", class: "line-move" }, number + step.san);
      button.addEventListener("click", () => {
        if (this.ply !== ply && this.ply !== ply + 1) this.go(ply + 1); // a line of another judgment
        this.showLine({ ply, buttons }, i);
        byId("stage").scrollIntoView({ block: "nearest" });
      });
      element.append(button, " ");
      return button;
    });
    return element;
  }

  // showLine shows the position after a move of the best line after a ply.
  showLine(line, i) {
    const { line: steps, eval: worth, white } = game.positions[line.ply];
    this.inLine = { line, i };
    document.querySelector(".line-move[aria-current]")?.removeAttribute("aria-current");
    setAttribute(line.buttons[i], "aria-current", "step");
    this.showBoard(steps[i]);
    this.board.point(steps[i + 1]?.uci ?? "", this.turn);
    this.bar.show(white, this.side);
    setText(this.move, line.buttons[i].textContent);
    setText(this.worth, `best line, ${evalText(worth)}`);
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

  describeMove(step) {
    if (!step) return "Start position";
    const ply = game.firstPly + this.ply - 1;
    return `${Math.floor(ply / 2) + 1}${ply % 2 ? "…" : "."} ${step.san}${step.glyph ?? ""}`;
  }

  describeWorth(step, position) {
    const parts = [];
    if (position.eval) parts.push(`${evalText(position.eval)}, depth ${position.eval.depth}`);
    if (step?.clock !== undefined) parts.push(`clock ${clockText(step.clock)}`);
    if (this.ply === game.steps.length) parts.push(game.result);
    return parts.join(" · ");
  }
}

const viewer = new Viewer();
viewer.go(Number(/^#(\d+)$/.exec(location.hash)?.[1] ?? 0));

document.addEventListener("keydown", (event) => {
  const ply = stepOf(event, viewer.ply);
  if (ply === undefined || event.target.closest("pre, summary")) return;
  event.preventDefault();
  viewer.step(ply);
});
byId("curve").addEventListener("click", (event) => {
  const box = byId("curve").getBoundingClientRect();
  viewer.go(Math.round((event.clientX - box.left) / box.width * game.steps.length));
});
for (const judgment of document.querySelectorAll(".judgment")) {
  const ply = Number(judgment.dataset.ply);
  judgment.addEventListener("click", () => {
    viewer.go(ply);
    byId("stage").scrollIntoView({ block: "nearest" });
  });
  judgment.parentElement.querySelector(".better").replaceWith(viewer.line("", ply - 1));
}
byId("theme").hidden = false;
themeButton(byId("theme"));
