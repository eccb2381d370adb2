// Controls: buttons that have the bot execute an operator's commands. The server allows
// them only on a page with a password.

import { ask } from "./ask.js";
import { absoluteURL, button, byId, make, setAttribute, setText } from "./dom.js";

let token = ""; // that commands must have; "" before it is known
let enabled = false; // the page has controls
let paused = false;
let matchmaking = false;
let gauntlet = false; // one is in progress

const path = "/api/control";

// questions are what the page asks before a command that cannot be undone.
const questions = {
  resign: "Resign the game?",
  abort: "Abort the game?",
  draw: "Offer a draw, or accept the opponent's offer?",
  gauntlet: "End the gauntlet? A game in progress continues.",
  drain: "Start no more games, and end the program when those in progress are over?",
};

// showControls shows or hides the controls, by the state of the bot.
export async function showControls(status) {
  enabled = status.controls;
  paused = Boolean(status.paused);
  matchmaking = status.matchmaking.on;
  gauntlet = status.gauntlet && !status.gauntlet.over;
  byId("controls").hidden = !enabled;
  if (!enabled) return;
  if (!byId("controls").hasChildNodes()) byId("controls").append(...panel());
  setText(byId("pause"), paused ? "Resume" : "Pause…");
  setText(byId("matchmaking"), `${matchmaking ? "Stop" : "Start"} matchmaking`);
  setText(byId("gauntlet"), gauntlet ? "Stop gauntlet" : "Gauntlet…");
  byId("drain").disabled = status.draining;
  if (!token) await load();
}

// load reads the token, and reports whether it could.
async function load() {
  const response = await fetch(absoluteURL(path)).catch(() => undefined);
  const part = response?.ok && (await response.json().catch(() => undefined));
  if (part) token = part.token;
  return Boolean(part);
}

const control = (text, title, click, attributes) => button(text, click, { title, ...attributes });

// panel returns the buttons that are not about a game.
function panel() {
  const simple = (text, title, command, attributes) => control(text, title, () => confirmAndSend(text, "", { command }), attributes);
  return [
    control("Pause…", "Accept no challenges and look for no games", pauseOrResume, { id: "pause" }),
    control("Challenge…", "Challenge a user", challenge),
    simple("Rematch", "Challenge the last opponent again, with colours reversed", "rematch"),
    simple("Cancel challenges", "Cancel our challenges that nobody has answered", "cancel"),
    control("Gauntlet…", "Play matches against bots", playGauntlet, { id: "gauntlet" }),
    control("Start matchmaking", "Turn matchmaking on or off", () => send({ command: "matchmaking", on: !matchmaking }), { id: "matchmaking" }),
    control("Arena…", "Join or leave an arena", arena),
    control("Users…", "Block or allow a user", users),
    simple("Reload settings", "Reload the configuration", "reload"),
    simple("Drain…", "Start no more games, and end the program when those in progress are over", "drain", { id: "drain", class: "danger" }),
  ];
}

// GameControls are the buttons about a game, on its card.
export class GameControls {
  constructor() {
    this.say = control("Say…", "Send the opponent a chat message", () => sayIn(this.game));
    this.draw = control("Draw…", "Offer a draw, or accept the opponent's offer", () => this.command("Draw", "draw"));
    this.end = control("Resign…", "Resign or, before the second move, abort the game", () => (this.early ? this.command("Abort", "abort") : this.command("Resign", "resign")), { class: "danger" });
    this.element = make("div", { class: "game-controls" }, this.say, this.draw, this.end);
  }

  // forCard returns the buttons of a new card, undefined if the page has no controls.
  static forCard() {
    return enabled ? new GameControls() : undefined;
  }

  command(text, command) {
    return confirmAndSend(text, describe(this.game), { command, game: this.game.id });
  }

  show(game) {
    this.game = game;
    this.early = game.plies < 2;
    setText(this.end, this.early ? "Abort…" : "Resign…");
    for (const b of [this.say, this.draw, this.end]) b.disabled = Boolean(game.result) || (b === this.draw && this.early);
  }
}

const describe = (game) => `Game against ${game.opponent.name}, ${game.clock} ${game.rated ? "rated" : "casual"}`;

function post(request) {
  const headers = { "Content-Type": "application/json", "X-CSRF-Token": token };
  return fetch(absoluteURL(path), { method: "POST", headers, body: JSON.stringify(request) });
}

// send sends a command, and shows the result.
async function send(request) {
  const { command } = request;
  showOutcome(`${command}: sent to the bot…`, "");
  try {
    let response = await post(request);
    if (response.status === 403 && (await load())) response = await post(request); // the bot was restarted
    const answer = await response.json();
    showOutcome(answer.message ?? answer.error ?? response.statusText, response.ok ? "done" : "failed");
  } catch {
    showOutcome(`${command}: the bot does not answer.`, "failed");
  }
}

// confirmAndSend asks first if the command cannot be undone; about says what it concerns.
async function confirmAndSend(text, about, request) {
  const question = questions[request.command];
  if (!question || (await ask(text.replace("…", ""), about, question))) await send(request);
}

const outcomeTime = 10000; // ms that an outcome is shown
let hiding;

function showOutcome(text, kind) {
  const element = byId("outcome");
  clearTimeout(hiding);
  element.hidden = false;
  setText(element, text);
  setAttribute(element, "class", `outcome ${kind}`);
  element.onclick = () => (element.hidden = true);
  if (kind) hiding = setTimeout(() => (element.hidden = true), outcomeTime);
}

async function pauseOrResume() {
  if (paused) {
    await send({ command: "resume" });
    return;
  }
  const keep = make("input", { type: "checkbox", id: "keep" });
  const yes = await ask("Pause", "", "Accept no challenges and look for no games? Games in progress continue.", make("label", { class: "check" }, keep, " also after a restart"));
  if (yes) await send({ command: "pause", keep: keep.checked });
}

function choice(...options) {
  return make("select", {}, ...options.map(([value, text = value]) => make("option", { value }, text)));
}

const input = (attributes) => make("input", { required: "", autocomplete: "off", autocapitalize: "none", spellcheck: "false", ...attributes });

const terms = () => [
  ["clock", "Clock", input({ value: "3+2", pattern: "[0-9.¼½¾]+[hms]?\\+[0-9.]+s?", title: "minutes and seconds as on Lichess, such as 3+2" })],
  ["mode", "Mode", choice(["rated"], ["casual"])],
];

// fill asks for the fields of a request, each [name, label, input], and sends it; convert
// changes it first.
async function fill(title, about, request, fields, convert = (r) => r) {
  const labels = fields.map(([, label, element]) => make("label", {}, make("span", {}, label), element));
  if (!(await ask(title, about, "", ...labels))) return;
  for (const [name, , element] of fields) request[name] = element.value.trim();
  await send(convert(request));
}

const challenge = () => fill("Challenge", "", { command: "challenge" },
  [["user", "User", input({ maxlength: "30" })], ...terms(), ["color", "Our colour", choice(["", "random"], ["white"], ["black"])]]);

const playGauntlet = () => (gauntlet ? confirmAndSend("Stop gauntlet", "", { command: "gauntlet", stop: true }) : fill("Gauntlet", "", { command: "gauntlet" },
  [["users", "Bots, separated by commas", input()], ...terms(), ["pairs", "Pairs of games against each", input({ type: "number", min: "1", value: "10" })]],
  (r) => ({ ...r, users: r.users.split(/[ ,]+/).filter(Boolean), pairs: Number(r.pairs) })));

const arena = () => fill("Arena", "", { command: "arena" }, [["arena", "Its id or address", input()], ["leave", "What to do", choice(["", "join"], ["leave"])]],
  (r) => ({ ...r, leave: Boolean(r.leave) }));

const users = () => fill("Users", "", {}, [["user", "User", input({ maxlength: "30" })], ["command", "What to do", choice(["block"], ["allow"], ["unblock", "neither"])]]);

const sayIn = (game) => fill("Say", describe(game), { command: "say", game: game.id }, [["text", "To the opponent", input({ maxlength: "140", autocapitalize: "sentences" })]]);
