// Finished games: the list, the rating and the score, read again when a game has
// ended.

import { announce, byId, link, make, our } from "./dom.js";
import { player, showRating, showScore, when } from "./panels.js";
import { Viewer } from "./viewer.js";

const viewer = new Viewer();
let chosen = "";

// readRecords asks the server for what is recorded.
export async function readRecords() {
  const answer = await fetch(our("/api/records"));
  if (!answer.ok) return;
  const records = await answer.json();
  showRating(records.rating);
  showScore(records.score);
  showGames(records.games);
}

function showGames(games) {
  byId("viewer").hidden = games.length === 0;
  byId("no-finished").hidden = games.length > 0;
  byId("finished").hidden = games.length === 0;
  if (games.length === 0) return;
  if (!viewer.element.isConnected) byId("viewer").replaceWith(viewer.element);
  const focused = document.activeElement?.dataset?.review;
  byId("finished").tBodies[0].replaceChildren(...games.map(row));
  if (focused) document.querySelector(`[data-review="${CSS.escape(focused)}"]`)?.focus();
  if (!games.some((g) => g.id === chosen)) review(games[0].id, false);
}

const words = { win: "won", draw: "drew", loss: "lost", none: "–" };

function row(game) {
  const them = game.us === "white" ? game.black : game.white;
  const button = make("button", { type: "button", "data-review": game.id, "aria-label": `Step through the game against ${them.name}` }, "Show");
  button.addEventListener("click", () => review(game.id, true));
  const change = game.ratingDiff ? ` ${game.ratingDiff > 0 ? "+" : "−"}${Math.abs(game.ratingDiff)}` : "";
  const cells = [
    make("td", { class: game.score }, words[game.score] + change),
    make("td", {}, ...player(them)),
    make("td", {}, `${game.control} ${game.rated ? "rated" : "casual"}, ${Math.ceil(game.plies / 2)} moves`),
    make("td", {}, recently(game.at)),
    make("td", { class: "actions" }, button, " ", link(game.site, "Lichess", `The game against ${them.name} on Lichess`)),
  ];
  return make("tr", game.id === chosen ? { class: "chosen", "data-row": game.id } : { "data-row": game.id }, ...cells);
}

// recently writes only the time of what was today.
function recently(ms) {
  const today = new Date(ms).toDateString() === new Date().toDateString();
  return today ? new Date(ms).toLocaleTimeString(undefined, { timeStyle: "short" }) : when(ms);
}

// review shows a game step by step.
async function review(id, focus) {
  const answer = await fetch(our(`/api/records/${encodeURIComponent(id)}`));
  if (!answer.ok) {
    announce("This game cannot be shown.");
    return;
  }
  const game = await answer.json();
  chosen = id;
  for (const r of document.querySelectorAll("[data-row]")) r.classList.toggle("chosen", r.dataset.row === id);
  viewer.load(game);
  if (focus) viewer.focus();
}
