// Finished games: the list, the rating and the score, fetched again after each game; and the
// viewer, which can lie large over the page.

import { absoluteURL, announce, button, byId, link, make, setText } from "./dom.js";
import { player } from "./moves.js";
import { describeReason, formatRecent, showComparison, showRating, showScore, showUncounted } from "./panels.js";
import { Viewer } from "./viewer.js";

const viewer = new Viewer(byId("viewer"));
const large = byId("large");
large.addEventListener("close", () => byId("review").append(viewer.element));
const narrow = matchMedia("(max-width: 1100px)"); // the viewer has no place on the page
let selected = ""; // id of the game in the viewer
let seen = ""; // how far it had come when it was fetched
let recorded = ""; // what the records depend on, when they were fetched
let analyses = false; // finished games can be analysed
let page = 0; // of the list
let reading = 0; // counts the requests for the list, of which the last one counts

// followGames fetches what has changed with the bot's games: the records after a game, and the
// game in the viewer if it has gone on.
export function followGames(status) {
  analyses = status.analyses;
  const { account, started } = status;
  const now = [account, started, status.recorded].join();
  if (recorded !== now) readRecords();
  recorded = now;
  const game = [...(status.games ?? []), ...(status.ended ?? [])].find(({ id }) => id === selected);
  if (game && seen !== stamp(game)) {
    seen = stamp(game);
    if (viewer.game?.id !== selected || !viewer.game.result) openGame(selected, false);
  }
}

const stamp = (game) => `${game.plies} ${game.last_uci} ${game.result ?? ""}`;

// get fetches a path from the server; undefined if it does not answer.
const get = (path, options) => fetch(absoluteURL(path), options).catch(() => undefined);

// readRecords fetches the records and shows them.
async function readRecords() {
  readGames(); // nothing waits for it
  const response = await get("/api/records");
  if (!response?.ok) return;
  const records = await response.json();
  showRating(records.rating);
  showScore(records.score);
  showUncounted(records.uncounted);
  showComparison(records.comparison, records.sprt);
}

// readGames fetches a page of the games that match the search.
async function readGames() {
  const turn = ++reading;
  const search = byId("search").value.trim();
  const response = await get(`/api/games?${new URLSearchParams({ search, page })}`);
  const list = response?.ok && (await response.json());
  if (list && turn === reading) showGames(list, search);
}

function showGames({ games, from, total }, search) {
  setText(byId("no-finished"), search ? "No game has all of these words." : "None yet.");
  byId("no-finished").hidden = total > 0;
  byId("finished").hidden = total === 0;
  byId("newer").disabled = page === 0;
  byId("older").disabled = from + games.length >= total;
  setText(byId("range"), games.length ? `${from + 1}–${from + games.length} of ${total}` : "");
  const focused = document.activeElement?.dataset?.review;
  byId("finished").tBodies[0].replaceChildren(...games.map(row));
  if (focused) document.querySelector(`[data-review="${CSS.escape(focused)}"]`)?.focus();
  if (!selected && games.length) openGame(games[0].id, false);
}

function turnTo(number) {
  page = number;
  readGames();
}

byId("newer").addEventListener("click", () => turnTo(page - 1));
byId("older").addEventListener("click", () => turnTo(page + 1));
byId("search").addEventListener("input", () => turnTo(0));

const outcomes = { win: "won", draw: "drew", loss: "lost", none: "–" };

function row(game) {
  const them = game.us === "white" ? game.black : game.white;
  const show = button("Show", () => openGame(game.id, true, narrow.matches), { "data-review": game.id, "aria-label": `Show the game against ${them.name}` });
  const change = game.ratingDiff ? ` ${game.ratingDiff > 0 ? "+" : "−"}${Math.abs(game.ratingDiff)}` : "";
  const rated = game.uncounted ? `rated, not counted (${describeReason(game.uncounted)})` : game.rated ? "rated" : "casual";
  const cells = [
    make("td", { class: `whole ${game.score}` }, outcomes[game.score] + change),
    make("td", {}, ...player(them)),
    make("td", {}, `${game.control} ${rated}, ${Math.ceil(game.plies / 2)} moves${game.contender ? `, ${game.contender}` : ""}`),
    make("td", { class: "whole" }, formatRecent(game.at)),
    make("td", { class: "whole" }, show),
  ];
  return make("tr", game.id === selected ? { class: "selected", "data-row": game.id } : { "data-row": game.id }, ...cells);
}

// enlarge shows the viewer over the page, until it is closed.
function enlarge() {
  if (large.open) return;
  large.append(viewer.element);
  large.showModal();
}

// tick updates the clocks in the viewer if it shows a game.
export function tick(id, ...clocks) {
  if (id === selected && id === viewer.game?.id) viewer.tick(...clocks);
}

// openGame fetches a game, and opens it in the viewer, large or not.
export async function openGame(id, focus, enlarged) {
  if (selected !== id) seen = "";
  selected = id;
  const response = await get(`/api/games/${encodeURIComponent(id)}`);
  if (!response?.ok) {
    announce("This game cannot be shown.");
    return;
  }
  const game = await response.json();
  if (selected !== id) return;
  if (enlarged) enlarge();
  show(game, focus);
}

function show(game, focus) {
  const { id } = game;
  for (const r of document.querySelectorAll("[data-row]")) r.classList.toggle("selected", r.dataset.row === id);
  viewer.load(game);
  viewer.links.replaceChildren(...links(game));
  if (focus) viewer.stage.focus();
}

// pgnLink returns a link that saves a game.
export const pgnLink = (id) => make("a", { href: absoluteURL(`/game/${encodeURIComponent(id)}/pgn`), download: "" }, "PGN");

function links({ id, site, result, summary }) {
  const list = [button("Enlarge", enlarge, { class: "enlarge" }), pgnLink(id), link(site, "Lichess", "This game on Lichess")];
  if (!analyses || !result || summary) return list;
  const note = make("span", { class: "quiet", role: "status" });
  return [button("Analyse", (event) => analyse(id, event.target, note)), ...list, note];
}

const patience = 60000; // ms; the bot gives up after 50 s

// analyse shows a game with the bot's analysis of it.
async function analyse(id, start, note) {
  start.disabled = true;
  setText(note, "Analysing, with the threads that no game needs. It waits for a minute at most.");
  const response = await get(`/api/games/${encodeURIComponent(id)}/analysis`, { signal: AbortSignal.timeout(patience) });
  if (selected !== id) return;
  if (response?.ok) {
    show(await response.json(), false);
    return;
  }
  start.disabled = false;
  if (!response) setText(note, "The bot does not answer.");
  else if (response.headers.get("Content-Type")?.startsWith("text/plain")) setText(note, await response.text());
  else setText(note, `The server answers ${response.status}.`); // a proxy, with a page
}
