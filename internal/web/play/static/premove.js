// Premoves: moves that are entered during the opponent's turn. Which of them are legal is
// known only after the opponent's move, so all that a piece could ever do can be entered.

import { fileOf, pocketOrder, rankOf, squareAt } from "./position.js";

const straight = [[1, 0], [-1, 0], [0, 1], [0, -1]];
const diagonal = [[1, 1], [1, -1], [-1, 1], [-1, -1]];
const jumps = [[1, 2], [2, 1], [-1, 2], [-2, 1], [1, -2], [2, -1], [-1, -2], [-2, -1]];
const steps = { n: jumps, k: [...straight, ...diagonal], r: straight, b: diagonal, q: [...straight, ...diagonal] };

// premoves returns a side's premoves in UCI notation.
export function premoves(position, color) {
  const list = [];
  for (const [from, piece] of position.pieces) {
    if (piece.color !== color) continue;
    for (const to of targets(from, piece)) {
      const last = piece.type === "p" && rankOf(to) === (color === "white" ? 7 : 0);
      list.push(...(last ? [..."qnrb"].map((type) => from + to + type) : [from + to]));
    }
  }
  for (const type of pocketOrder) {
    if (!position.pockets[color][type]) continue;
    for (let i = 0; i < 64; i++) {
      const rank = Math.floor(i / 8);
      if (type !== "p" || (rank > 0 && rank < 7)) list.push(`${type.toUpperCase()}@${squareAt(i % 8, rank)}`);
    }
  }
  return list;
}

// targets returns where a piece could go if nothing stood in its way.
function targets(from, { type, color }) {
  const [file, rank] = [fileOf(from), rankOf(from)];
  const list = [];
  const add = (dx, dy) => {
    const [x, y] = [file + dx, rank + dy];
    const inside = x >= 0 && x < 8 && y >= 0 && y < 8;
    if (inside) list.push(squareAt(x, y));
    return inside;
  };
  if (type === "p") {
    const up = color === "white" ? 1 : -1;
    for (const dx of [-1, 0, 1]) add(dx, up);
    if (rank === (color === "white" ? 1 : 6)) add(0, 2 * up);
    return list;
  }
  for (const [dx, dy] of steps[type]) {
    for (let n = 1; add(n * dx, n * dy) && "rbq".includes(type); n++);
  }
  if (type === "k" && file === 4 && rank === (color === "white" ? 0 : 7)) [-2, 2].forEach((dx) => add(dx, 0)); // castling
  return list;
}
