// The page: it shows what the server sends, and sends what the person does.

import { ask } from "./ask.js";
import { send } from "./commands.js";
import { NewGame } from "./dialogs.js";
import { announce, byId, setText } from "./dom.js";
import { levelName } from "./levels.js";
import { Panel } from "./panel.js";
import { other } from "./position.js";
import { playSound, soundButton, soundOf } from "./sound.js";
import { Stage } from "./stage.js";
import { connect, showConnection } from "./stream.js";
import { themeButton } from "./theme.js";

let page, game, evaluation; // as the server has sent them
let flipped = false;
let viewed; // the ply shown, undefined for the last one

const shownPly = () => Math.max(0, Math.min(viewed ?? Infinity, game.steps.length));

// command sends a command about the game that is shown, and shows what is wrong.
async function command(name, parameters = {}) {
  const problem = await send(name, { revision: game.revision, ...parameters });
  panel.showProblem(problem);
  return problem;
}

const startGame = (settings) => send("new", { revision: game.revision, ...settings });

const stage = new Stage(byId("stage"), (uci) => command("move", { move: uci }));
const newGame = new NewGame(startGame);
const panel = new Panel({
  newGame: () => newGame.open(game, page.maxLevel),
  again: () => command("new", { side: other(game.us), level: game.level, clock: game.control, fen: "" }),
  takeBack: () => command("takeback"),
  async resign() {
    if (await ask("Resign", "", "Resign this game?")) command("resign");
  },
  draw: () => command("draw"),
  flip() {
    flipped = !flipped;
    show();
  },
  evaluate: () => command("evaluate", { ply: shownPly() }),
  go(ply) {
    viewed = ply < game.steps.length ? Math.max(0, ply) : undefined;
    show();
  },
  async enter(text) {
    const problem = await send("move", { revision: game.revision, move: text });
    if (!problem) {
      viewed = undefined;
      show();
    }
    return problem;
  },
});

// A touch of the board leads back to the game from an earlier position.
byId("stage").addEventListener("pointerdown", () => {
  if (viewed === undefined) return;
  viewed = undefined;
  show();
});

function show() {
  if (!page || !game) return;
  const ply = shownPly();
  const names = { [game.us]: page.player, [other(game.us)]: "zhbot" };
  stage.show(game, ply, names, flipped ? other(game.us) : game.us);
  stage.tick();
  stage.point(evaluation?.ply === ply ? evaluation.best ?? "" : "");
  panel.show(game, ply, evaluation);
  setText(byId("terms"), `against zhbot, ${levelName(game.level)}, ${game.control === "none" ? "no clock" : game.control}`);
  setText(byId("about"), page.engine);
}

function showGame(value) {
  const before = game;
  game = value;
  const [steps, engineMoved] = [game.steps, game.steps.length % 2 === (game.us === startTurn(game) ? 0 : 1)];
  if (before && steps.length < before.steps.length) viewed = undefined; // a takeback or a new game
  if (before && game.revision !== before.revision) panel.showProblem("");
  if (before && !before.over && game.over) playSound("end");
  else if (before && steps.length > before.steps.length) playSound(soundOf(steps.at(-1).san));
  if (before && steps.length > before.steps.length && engineMoved) announce(`zhbot plays ${steps.at(-1).san}`);
}

const startTurn = (g) => (g.start.split(" ")[1] === "b" ? "black" : "white");

connect((value) => {
  showConnection("connected", "up");
  page = value;
  showGame(page.game);
  evaluation = page.evaluation;
  show();
}, true); // for the sounds

setInterval(() => stage.tick(), 100);
soundButton(byId("sound"));
themeButton(byId("theme"));
