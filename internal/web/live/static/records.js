// Finished games: the list, the rating and the score, fetched again after each game.

import { absoluteURL, announce, byId, link, make } from "./dom.js";
import { player } from "./moves.js";
import { describeReason, formatTime, showComparison, showRating, showScore, showUncounted } from "./panels.js";
import { Viewer } from "./viewer.js";

const viewer = new Viewer();
let selected = ""; // id of the game in the viewer

// readRecords fetches the records and shows them.
export async function readRecords() {
  const response = await fetch(absoluteURL("/api/records"));
  if (!response.ok) return;
  const records = await response.json();
  showRating(records.rating);
  showScore(records.score);
  showUncounted(records.uncounted);
  showComparison(records.comparison);
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
  if (!games.some((g) => g.id === selected)) review(games[0].id, false);
}

const outcomes = { win: "won", draw: "drew", loss: "lost", none: "–" };

function row(game) {
  const them = game.us === "white" ? game.black : game.white;
  const button = make("button", { type: "button", "data-review": game.id, "aria-label": `Show the game against ${them.name}` }, "Show");
  button.addEventListener("click", () => review(game.id, true));
  const change = game.ratingDiff ? ` ${game.ratingDiff > 0 ? "+" : "−"}${Math.abs(game.ratingDiff)}` : "";
  const rated = game.uncounted ? `rated, not counted (${describeReason(game.uncounted)})` : game.rated ? "rated" : "casual";
  const cells = [
    make("td", { class: game.score }, outcomes[game.score] + change),
    make("td", {}, ...player(them)),
    make("td", {}, `${game.control} ${rated}, ${Math.ceil(game.plies / 2)} moves${game.contender ? `, ${game.contender}` : ""}`),
    make("td", {}, formatRecent(game.at)),
    make("td", { class: "actions" }, button, " ", link(game.site, "Lichess", `The game against ${them.name} on Lichess`)),
  ];
  return make("tr", game.id === selected ? { class: "selected", "data-row": game.id } : { "data-row": game.id }, ...cells);
}

// formatRecent formats a time of today without its date.
function formatRecent(ms) {
  const today = new Date(ms).toDateString() === new Date().toDateString();
  return today ? new Date(ms).toLocaleTimeString(undefined, { timeStyle: "short" }) : formatTime(ms);
}

// review opens a game in the viewer.
async function review(id, focus) {
  const response = await fetch(absoluteURL(`/api/records/${encodeURIComponent(id)}`));
  if (!response.ok) {
    announce("This game cannot be shown.");
    return;
  }
  const game = await response.json();
  selected = id;
  for (const r of document.querySelectorAll("[data-row]")) r.classList.toggle("selected", r.dataset.row === id);
  viewer.load(game);
  if (focus) viewer.focus();
}
