// Evaluations: { cp, mate } as the server tells them, in White's view. They are
// shown in our own.

import { draw, setAttribute } from "./dom.js";

// evalText writes +1.30 or #4 from a side's view, − when it is worse or mated.
export function evalText(e, side) {
  const worse = (e.mate || e.cp) < 0 !== (side === "black");
  if (e.mate) return (worse ? "−#" : "#") + Math.abs(e.mate);
  if (e.cp === 0) return "0.00";
  return (worse ? "−" : "+") + Math.abs(e.cp / 100).toFixed(Math.abs(e.cp) < 1000 ? 2 : 1);
}

// share is how much of the bar is White's, from 0 to 1.
export function share(e) {
  if (e.mate) return e.mate > 0 ? 1 : 0;
  return 1 / (1 + Math.exp(-e.cp / 250));
}

// Curve draws the evaluation over a game.
export class Curve {
  constructor() {
    this.area = draw("path", { class: "up" });
    this.path = draw("path", { class: "path" });
    this.here = draw("path", { class: "here" });
    this.element = draw("svg", { class: "curve", viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img" },
      draw("path", { class: "zero", d: "M0 20H100" }), this.area, this.path, this.here);
  }

  // show draws points { ply, cp, mate } of a game of so many plies, from a side's
  // view, with a mark at a ply if one is given.
  show(points, plies, side, ply = -1) {
    const width = 100 / Math.max(plies, 40);
    const up = (e) => 40 - 40 * (side === "black" ? 1 - share(e) : share(e));
    const line = points.map((e) => `${(e.ply * width).toFixed(2)} ${up(e).toFixed(1)}`);
    setAttribute(this.path, "d", line.length ? `M0 20L${line.join("L")}` : "");
    setAttribute(this.area, "d", line.length ? `M0 20L${line.join("L")}L${(points.at(-1).ply * width).toFixed(2)} 20Z` : "");
    setAttribute(this.here, "d", ply < 0 ? "" : `M${(ply * width).toFixed(2)} 0V40`);
    const last = points.at(-1);
    setAttribute(this.element, "aria-label", last ? `Evaluation over the game; after ${points.length} moves of ours ${evalText(last, side)} for us` : "No evaluation yet");
  }
}
