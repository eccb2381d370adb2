// Positions, from FEN with pockets and promoted pieces (~).

const names = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
export const pocketOrder = ["p", "n", "b", "r", "q"];
export const other = (color) => (color === "white" ? "black" : "white");

// parse converts a FEN to { pieces: square -> {color, type, promoted}, pockets,
// turn }.
export function parse(fen) {
  const [placement, turn] = fen.split(" ");
  const rows = placement.split("/");
  const pieces = new Map();
  rows.slice(0, 8).forEach((row, i) => {
    let file = 0;
    for (const c of row) {
      if (c === "~") {
        pieces.get(squareAt(file - 1, 7 - i)).promoted = true;
      } else if (c >= "1" && c <= "8") {
        file += Number(c);
      } else {
        pieces.set(squareAt(file, 7 - i), pieceOf(c));
        file++;
      }
    }
  });
  const pockets = { white: {}, black: {} };
  for (const c of rows[8] ?? "") {
    const { color, type } = pieceOf(c);
    pockets[color][type] = (pockets[color][type] ?? 0) + 1;
  }
  return { pieces, pockets, turn: turn === "b" ? "black" : "white" };
}

function pieceOf(letter) {
  const type = letter.toLowerCase();
  return { color: letter === type ? "black" : "white", type, promoted: false };
}

export const squareAt = (file, rank) => "abcdefgh"[file] + (rank + 1);
export const fileOf = (square) => square.charCodeAt(0) - 97;
export const rankOf = (square) => Number(square[1]) - 1;

// movedSquares returns the origin and destination of a UCI move, of a drop only the
// destination.
export function movedSquares(uci) {
  if (!uci) return [];
  return uci[1] === "@" ? [uci.slice(2, 4)] : [uci.slice(0, 2), uci.slice(2, 4)];
}

export function kingOf(position, color) {
  for (const [square, piece] of position.pieces) if (piece.type === "k" && piece.color === color) return square;
  return "";
}

// describe describes a position for screen readers.
export function describe(position) {
  return ["white", "black"].map((color) => `${capitalize(color)}: ${describeSide(position, color)}`).join(" ");
}

function describeSide(position, color) {
  const parts = [];
  for (const type of ["k", "q", "r", "b", "n", "p"]) {
    const squares = [...position.pieces].filter(([, p]) => p.color === color && p.type === type);
    if (squares.length === 0) continue;
    const where = squares.map(([square, p]) => square + (p.promoted ? " promoted" : "")).sort().join(" ");
    parts.push(`${plural(type, squares.length)} ${where}`);
  }
  return `${parts.join(", ")}; ${describePocket(position.pockets[color])}.`;
}

export function describePocket(pocket) {
  const held = pocketOrder.filter((type) => pocket[type]).map((type) => `${pocket[type]} ${plural(type, pocket[type])}`);
  return `in hand ${held.length ? held.join(", ") : "nothing"}`;
}

// describePiece names a piece, such as "white knight".
export const describePiece = (piece) => `${piece.color} ${piece.promoted ? "promoted " : ""}${names[piece.type]}`;

export const nameOf = (type) => names[type];

const plural = (type, n) => names[type] + (n === 1 ? "" : "s");
export const capitalize = (word) => word[0].toUpperCase() + word.slice(1);
