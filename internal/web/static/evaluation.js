// Evaluations: { cp, mate } from White's point of view, in which they are also shown.

import { draw, make, setAttribute } from "./dom.js";

// evalText formats an evaluation: +1.30 or #4, with − if White is worse or mated.
export function evalText(e) {
  const worse = (e.mate || e.cp) < 0;
  if (e.mate) return (worse ? "−#" : "#") + Math.abs(e.mate);
  if (e.cp === 0) return "0.00";
  return (worse ? "−" : "+") + Math.abs(e.cp / 100).toFixed(Math.abs(e.cp) < 1000 ? 2 : 1);
}

// whiteShare returns White's expected score from 0 to 1, as analyses do.
export function whiteShare(e) {
  if (e.mate) return e.mate > 0 ? 1 : 0;
  return 1 / (1 + Math.exp(-0.00368208 * Math.max(-1000, Math.min(1000, e.cp))));
}

// Bar is the evaluation bar beside a board.
export class Bar {
  constructor() {
    this.level = make("span");
    this.element = make("div", { class: "bar unknown", "aria-hidden": "true" }, this.level);
  }

  // show draws White's share, undefined if it is unknown, from a side's point of view.
  show(share, side) {
    setAttribute(this.element, "class", `bar${side === "black" ? " flipped" : ""}${share === undefined ? " unknown" : ""}`);
    if (share !== undefined) this.level.style.height = `${(100 * share).toFixed(1)}%`;
  }
}

// formatCount abbreviates a large number, such as one of nodes: 1.2 M.
export function formatCount(n) {
  if (n >= 1e9) return `${(n / 1e9).toFixed(1)} G`;
  if (n >= 1e6) return `${(n / 1e6).toFixed(1)} M`;
  if (n >= 1e3) return `${(n / 1e3).toFixed(n >= 1e5 ? 0 : 1)} k`;
  return String(n);
}

// Curve is a chart of the evaluation over a game. A click calls go with the ply.
export class Curve {
  constructor(go) {
    this.area = draw("path", { class: "up" });
    this.path = draw("path", { class: "path" });
    this.marker = draw("path", { class: "marker" });
    this.dots = draw("g");
    this.element = draw("svg", { class: "curve", viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img" },
      draw("path", { class: "zero", d: "M0 20H100" }), this.area, this.path, this.marker, this.dots);
    this.element.addEventListener("click", (event) => {
      const box = this.element.getBoundingClientRect();
      go(Math.round((100 * (event.clientX - box.left)) / box.width / this.width));
    });
  }

  // show draws points { ply, cp, mate, kind } of a game of so many plies, with a marker at a
  // ply, and a dot at each point of a kind.
  show(points, plies, ply) {
    this.width = 100 / Math.max(plies, 1);
    const at = (e) => `${(e.ply * this.width).toFixed(2)} ${(40 - 40 * whiteShare(e)).toFixed(1)}`;
    const line = points.map(at).join("L");
    setAttribute(this.path, "d", line && `M${line}`);
    setAttribute(this.area, "d", line && `M${(points[0].ply * this.width).toFixed(2)} 40L${line}L${(points.at(-1).ply * this.width).toFixed(2)} 40Z`);
    setAttribute(this.marker, "d", `M${(ply * this.width).toFixed(2)} 0V40`);
    this.dots.replaceChildren(...points.filter((e) => e.kind).map((e) => draw("path", { class: `dot ${e.kind}`, d: `M${at(e)}h0` })));
    const last = points.at(-1);
    setAttribute(this.element, "aria-label", last ? `Evaluation over the game, at last ${evalText(last)} for White` : "No evaluation");
  }
}
