// A card for each game: in progress, or finished until another takes its slot.

import { Board, Pocket } from "./board.js";
import { showClock } from "./clock.js";
import { GameControls } from "./controls.js";
import { announce, button, link, make, setAttribute, setText } from "./dom.js";
import { Bar, evalText, formatCount, whiteShare } from "./evaluation.js";
import { capitalize, other } from "./position.js";
import { openGame, pgnLink, tick } from "./records.js";

// Card shows one game.
export class Card {
  constructor(game) {
    this.id = game.id;
    this.state = make("p", { class: "state" });
    this.board = new Board();
    this.top = new Side();
    this.bottom = new Side();
    this.bar = new Bar();
    this.score = make("span", { class: "score", title: "From White's point of view" });
    this.depth = make("span");
    this.nodes = make("span");
    this.variation = make("p", { class: "variation" });
    const open = () => openGame(this.id, true, true);
    this.board.element.addEventListener("click", open);
    this.controls = GameControls.forCard();
    this.element = make("article", { class: "game" },
      make("header", {}, make("span", {}, `${game.clock || "no clock"} ${game.rated ? "rated" : "casual"}${game.arena ? `, ${game.arena}` : ""}`),
        pgnLink(game.id), link(game.url, "↗", `Game against ${game.opponent.name} on Lichess`), button("Enlarge", open, { class: "plain" })),
      this.top.element, this.top.pocket.element,
      make("div", { class: "area" }, this.bar.element, this.board.element),
      this.bottom.pocket.element, this.bottom.element, this.state,
      make("div", { class: "analysis" }, this.score, this.depth, this.nodes), this.variation);
    if (this.controls) this.element.append(this.controls.element);
  }

  // free creates a card for a free slot, as large as that of a game.
  static free() {
    const card = new Card({ id: "", opponent: {}, url: "" });
    card.board.orient("white");
    card.top.pocket.build("black");
    card.bottom.pocket.build("white");
    setAttribute(card.element, "class", "game free");
    for (const part of card.element.children) part.setAttribute("inert", "");
    card.element.append(make("p", {}, "free slot"));
    return card.element;
  }

  show(game) {
    this.game = game;
    const { color, opponent, result } = game;
    setAttribute(this.element, "class", result ? "game over" : "game");
    setAttribute(this.element, "aria-label", `Game against ${opponent.name}`);
    setAttribute(this.element, "data-game", game.id);
    setAttribute(this.element, "data-ply", game.plies);
    this.controls?.show(game);
    const position = this.board.show(game.fen, game.last_uci ?? "", game.check, color);
    if (position) {
      this.turn = position.turn;
      this.top.pocket.show(other(color), position.pockets[other(color)]);
      this.bottom.pocket.show(color, position.pockets[color]);
    }
    this.top.showPlayer(opponent, other(color));
    this.bottom.showPlayer(game.us, color);
    this.clocks = game.clock && {
      [color]: 1000 * (game.left ?? 0), [other(color)]: 1000 * (game.their_left ?? 0), at: Date.parse(game.at), running: game.running,
    };
    this.tick();
    this.showState(game);
    this.showAnalysis(game);
  }

  showState({ result, score, rating_diff: diff, last_move: last, opponent }) {
    const change = diff ? ` (${diff > 0 ? "+" : "−"}${Math.abs(diff)})` : "";
    setText(this.state, result ? outcome(result, score) + change : last ?? "just started");
    setAttribute(this.state, "class", result ? `state ${score}` : "state");
    if (result && this.wasInProgress) announce(`Game against ${opponent.name}: ${result}.`);
    this.wasInProgress = !result;
  }

  // showAnalysis shows what our latest search has found, unless it is withheld.
  showAnalysis({ search: e, searching, withheld, color }) {
    this.bar.show(e && whiteShare(e), color);
    setText(this.score, e ? evalText(e) : "–");
    setText(this.depth, e ? `depth ${e.depth}` : withheld ? "evaluation after the game" : "not searched yet");
    setAttribute(this.depth, "title", withheld ? "The link in the bot's log shows it now." : "");
    setAttribute(this.depth, "class", e && searching ? "live" : "");
    setText(this.nodes, e ? `${formatCount(e.nodes)} nodes` : "");
    setText(this.variation, e ? e.line : "");
  }

  // tick updates the clocks.
  tick() {
    const { color } = this.game;
    showClock(this.top.clock, this.clocks, other(color), this.turn);
    showClock(this.bottom.clock, this.clocks, color, this.turn);
    tick(this.id, this.clocks, this.turn);
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

// outcome returns the result from our side, such as "Won by checkmate".
const outcome = (result, score) => result.replace(/^(White|Black) won/, { win: "Won", loss: "Lost" }[score]);
