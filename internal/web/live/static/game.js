// A card for each game: in progress, or finished until another takes its slot.

import { Board, Pocket } from "./board.js";
import { showClock } from "./clock.js";
import { GameControls } from "./controls.js";
import { announce, link, make, setAttribute, setText } from "./dom.js";
import { Bar, Curve, evalText, formatCount, whiteShare } from "./evaluation.js";
import { capitalize, other } from "./position.js";
import { pgnLink } from "./records.js";

// Card shows one game.
export class Card {
  constructor() {
    this.element = make("article", { class: "game" });
  }

  build(game) {
    this.id = game.id;
    this.us = game.us;
    this.built = game.fen !== "";
    this.state = make("span", { class: "state" });
    this.board = new Board();
    this.top = new Side();
    this.bottom = new Side();
    this.curve = new Curve();
    this.bar = new Bar();
    this.score = make("span", { class: "score", title: "From White's point of view" });
    this.depth = make("span");
    this.nodes = make("span");
    this.variation = make("p", { class: "variation" });
    const heading = make("header", {}, make("span", {}, terms(game)), this.state);
    this.element.replaceChildren(
      heading, this.top.element, this.top.pocket.element,
      make("div", { class: "area" }, this.bar.element, this.board.element),
      this.bottom.pocket.element, this.bottom.element,
      make("div", { class: "analysis" }, this.score, this.depth, this.nodes), this.variation, this.curve.element,
    );
    this.controls = GameControls.forCard();
    if (this.controls) this.element.append(this.controls.element);
    heading.append(pgnLink(game.id), link(game.site, "↗", `Game against ${game[other(game.us)].name} on Lichess`));
  }

  // free creates a card for a free slot, as large as that of a game.
  static free() {
    const card = new Card();
    card.build({ id: "", us: "white", white: {}, black: { name: "" }, site: "", control: "–", fen: "" });
    card.board.orient("white");
    card.top.pocket.build("black");
    card.bottom.pocket.build("white");
    setAttribute(card.element, "class", "game free");
    for (const part of card.element.children) part.setAttribute("inert", "");
    card.element.append(make("p", {}, "free slot"));
    return card.element;
  }

  show(game, connected) {
    if (this.id !== game.id || this.us !== game.us || !this.built) this.build(game);
    this.game = game;
    const them = game[other(game.us)];
    setAttribute(this.element, "class", game.over ? "game over" : "game");
    setAttribute(this.element, "aria-label", `Game against ${them.name}`);
    setAttribute(this.element, "data-game", game.id);
    setAttribute(this.element, "data-ply", game.moves?.length ?? 0);
    this.controls?.show(game);
    if (!game.fen) return;
    const position = this.board.show(game.fen, game.last, game.check, game.us);
    if (position) {
      this.turn = position.turn;
      this.top.pocket.show(other(game.us), position.pockets[other(game.us)]);
      this.bottom.pocket.show(game.us, position.pockets[game.us]);
    }
    this.top.showPlayer(them, other(game.us));
    this.bottom.showPlayer(game[game.us], game.us);
    this.tick(connected);
    this.showState(game, them);
    this.showAnalysis(game);
  }

  showState(game, them) {
    const change = game.ratingDiff ? ` (${game.ratingDiff > 0 ? "+" : "−"}${Math.abs(game.ratingDiff)})` : "";
    const text = game.over ? outcome(game) + change : moveText(game, this.turn);
    setText(this.state, text);
    setAttribute(this.state, "class", game.over ? `state ${game.score}` : "state");
    if (game.over && this.wasInProgress) announce(`Game against ${them.name}: ${game.result}.`);
    this.wasInProgress = !game.over;
  }

  // showAnalysis shows our evaluation, unless it is withheld.
  showAnalysis(game) {
    const e = game.eval;
    this.bar.show(e && whiteShare(e), game.us);
    setText(this.score, e ? evalText(e) : "–");
    setText(this.depth, e ? `depth ${e.depth}` : game.hidden ? "evaluation after the game" : "not searched yet");
    setAttribute(this.depth, "title", game.hidden ? "The link in the bot's log shows it now." : "");
    setAttribute(this.depth, "class", e?.searching ? "live" : "");
    setText(this.nodes, e ? `${formatCount(e.nodes)} nodes` : "");
    setText(this.variation, e ? e.line : "");
    this.curve.show(game.curve ?? [], game.moves?.length ?? 0);
  }

  // tick updates the clocks.
  tick(connected) {
    const game = this.game;
    if (!game?.fen) return;
    showClock(this.top.clock, game.clock, other(game.us), this.turn, connected);
    showClock(this.bottom.clock, game.clock, game.us, this.turn, connected);
  }
}

// Side is a player with clock and pocket.
class Side {
  constructor() {
    this.title = make("span", { class: "title" });
    this.playerName = make("span", { class: "name" });
    this.rating = make("span", { class: "rating" });
    this.clock = make("span", { class: "clock", role: "timer", "aria-live": "off" });
    this.element = make("div", { class: "side" }, this.title, this.playerName, this.rating, this.clock);
    this.pocket = new Pocket();
  }

  showPlayer(player, color) {
    setText(this.title, player.title ?? "");
    this.title.hidden = !player.title;
    setText(this.playerName, player.name);
    setAttribute(this.playerName, "title", player.name);
    setText(this.rating, player.rating ? String(player.rating) : "");
    setAttribute(this.clock, "aria-label", `${capitalize(color)}'s clock`);
  }
}

const terms = (game) => `${game.control} ${game.rated ? "rated" : "casual"}`;

// outcome returns the result from our side, such as "Won by checkmate".
function outcome(game) {
  return game.result.replace(/^(White|Black) won/, outcomes[game.score]);
}

const outcomes = { win: "Won", loss: "Lost" };

// moveText returns the last move with its number, such as "12… N@f7+".
function moveText(game, turn) {
  if (!game.moves?.length) return "just started";
  const ply = game.firstPly + game.moves.length - 1;
  return `${Math.floor(ply / 2) + 1}${turn === "white" ? "…" : "."} ${game.moves.at(-1)}`;
}
