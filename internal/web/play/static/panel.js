// Beside the board: how the game stands, its moves, and what else can be done.

import { absoluteURL, button, byId, make, setAttribute, setText } from "./dom.js";
import { evalText, formatCount } from "./evaluation.js";
import { MoveList, stepButtons, stepOf } from "./moves.js";

// Panel calls the methods of actions: newGame, again, takeBack, resign, draw, flip,
// evaluate, go(ply) and enter(text), which resolves to "" or to what is wrong.
export class Panel {
  constructor(actions) {
    this.ply = 0;
    this.actions = actions;
    const go = (ply) => actions.go(ply);
    this.list = new MoveList(go);
    const moves = byId("moves");
    moves.append(this.list.element, stepButtons(() => this.ply, go));
    moves.addEventListener("keydown", (event) => {
      const to = stepOf(event, this.ply);
      if (to === undefined) return;
      event.preventDefault();
      go(to);
    });
    this.buttons = {};
    const add = (name, text, attributes) => {
      this.buttons[name] = button(text, () => actions[name](), attributes);
      return this.buttons[name];
    };
    this.pgn = make("a", { class: "button", href: absoluteURL("/api/game.pgn"), download: "" }, "Save PGN");
    byId("buttons").append(
      add("again", "Again, sides swapped", { class: "main" }), add("newGame", "New game"), add("takeBack", "Take back"), add("resign", "Resign"), add("draw", "Draw", { title: "Offer a draw" }),
      add("flip", "Flip", { title: "Flip the board" }), add("evaluate", "Hint", { title: "The best move and the evaluation, by the engine at full strength" }), this.pgn,
    );
    this.listenToEntry();
    byId("copy").addEventListener("click", copyFEN);
  }

  listenToEntry() {
    byId("entry").addEventListener("submit", async (event) => {
      event.preventDefault();
      const field = byId("move");
      const text = field.value.trim();
      if (!text) return;
      const problem = await this.actions.enter(text);
      this.showProblem(problem);
      if (!problem) field.value = "";
    });
    byId("move").addEventListener("input", () => this.showProblem(""));
  }

  showProblem(text) {
    setText(byId("problem"), text);
  }

  // show shows a game, and what belongs to the position after a number of plies.
  show(game, ply, evaluation) {
    this.ply = ply;
    const live = ply === game.steps.length;
    setText(byId("status"), status(game));
    setAttribute(byId("status"), "class", game.over ? `status ${game.score}` : "status");
    setText(byId("hint"), hint(game, ply));
    const moves = game.steps.map((step) => step.san).join(" ") + game.start;
    if (this.moves !== moves) {
      this.moves = moves;
      this.list.show(game.steps.map((step) => step.san), game.firstPly);
    }
    this.list.select(ply);
    const { again, takeBack, resign, draw, evaluate } = this.buttons;
    again.hidden = !game.over;
    takeBack.disabled = !game.canTakeBack;
    resign.disabled = game.over;
    draw.disabled = game.over || game.legal.length === 0 || !live;
    evaluate.disabled = game.thinking || (live && game.over && isMate(game));
    byId("move").disabled = game.over;
    setAttribute(byId("fen"), "value", game.steps[ply - 1]?.fen ?? game.start);
    this.showEvaluation(game, evaluation?.ply === ply ? evaluation : undefined);
  }

  showEvaluation(game, e) {
    byId("analysis").hidden = !e;
    if (!e) return;
    const known = e.depth > 0;
    setText(byId("score"), known ? evalText(e) : "…");
    setText(byId("depth"), `depth ${e.depth}`);
    setAttribute(byId("depth"), "class", e.searching ? "live" : "");
    setText(byId("nodes"), `${formatCount(e.nodes)} nodes`);
    setText(byId("line"), e.line);
  }
}

const isMate = (game) => game.steps.at(-1)?.san.endsWith("#") ?? false;

function status(game) {
  if (game.over) {
    return game.result.replace(/^(White|Black) won/, { win: "You won", loss: "zhbot won" }[game.score]);
  }
  if (game.thinking) return "zhbot is thinking…";
  const check = game.steps.length ? game.steps.at(-1).check : game.check;
  return check ? "Your move, in check" : "Your move";
}

function hint(game, ply) {
  if (ply < game.steps.length) return "This is an earlier position: go to the end to play on.";
  if (game.over) return "";
  if (game.repetitions === 2) return "This position has occurred twice; the third time is a draw.";
  if (game.clock && !game.clock.running && game.steps.length < 2) return "The clocks start once both sides have moved.";
  return "";
}

// copyFEN copies the FEN. Without a clipboard, as on pages without TLS, it is selected.
async function copyFEN() {
  const [field, button] = [byId("fen"), byId("copy")];
  try {
    await navigator.clipboard.writeText(field.value);
    setText(button, "Copied");
  } catch {
    field.select();
    setText(button, document.execCommand("copy") ? "Copied" : "Selected");
  }
  setTimeout(() => setText(button, "Copy"), 2000);
}
