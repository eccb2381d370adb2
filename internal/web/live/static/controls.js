// Controls: buttons that have the bot execute an operator's commands. The server allows
// them only on a page with a password.

import { absoluteURL, byId, make, setAttribute, setText } from "./dom.js";

let token = ""; // that commands must have; "" before it is known
let enabled = false; // the page has controls
let paused = false;
let matchmaking = false;

const path = "/api/control";

// questions are what the page asks before a command that cannot be undone.
const questions = {
  resign: "Resign the game?",
  abort: "Abort the game?",
  draw: "Offer a draw, or accept the opponent's offer?",
  drain: "Start no more games, and end the program when those in progress are over?",
};

// showControls shows or hides the controls, by the state of the bot.
export async function showControls(status) {
  enabled = status.controls;
  paused = Boolean(status.paused);
  matchmaking = status.matchmaking.on;
  byId("controls").hidden = !enabled;
  if (!enabled) return;
  if (!byId("controls").hasChildNodes()) byId("controls").append(...panel());
  setText(byId("pause"), paused ? "Resume" : "Pause…");
  setText(byId("matchmaking"), `${matchmaking ? "Stop" : "Start"} matchmaking`);
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

function button(text, label, click, attributes = {}) {
  const element = make("button", { type: "button", title: label, ...attributes }, text);
  element.addEventListener("click", click);
  return element;
}

// panel returns the buttons that are not about a game.
function panel() {
  const simple = (text, label, command, attributes) => button(text, label, () => confirmAndSend(text, "", { command }), attributes);
  return [
    button("Pause…", "Accept no challenges and look for no games", pauseOrResume, { id: "pause" }),
    button("Challenge…", "Challenge a user", challenge),
    simple("Cancel challenges", "Cancel our challenges that nobody has answered", "cancel"),
    button("Start matchmaking", "Turn matchmaking on or off", () => send({ command: "matchmaking", on: !matchmaking }), { id: "matchmaking" }),
    button("Join arena…", "Join an arena", arena),
    simple("Reload settings", "Reload the configuration", "reload"),
    simple("Drain…", "Start no more games, and end the program when those in progress are over", "drain", { id: "drain", class: "danger" }),
  ];
}

// GameControls are the buttons about a game, on its card.
export class GameControls {
  constructor() {
    this.say = button("Say…", "Send the opponent a chat message", () => sayIn(this.game));
    this.draw = button("Draw…", "Offer a draw, or accept the opponent's offer", () => this.command("Draw", "draw"));
    this.end = button("Resign…", "Resign the game", () => (this.early ? this.command("Abort", "abort") : this.command("Resign", "resign")), { class: "danger" });
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
    const { name } = game.opponent;
    setText(this.end, this.early ? "Abort…" : "Resign…");
    setAttribute(this.end, "title", `${this.early ? "Abort" : "Resign"} the game against ${name}`);
    setAttribute(this.say, "title", `Send ${name} a chat message`);
    setAttribute(this.draw, "title", `Offer ${name} a draw, or accept the offer`);
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

const field = (label, input) => make("label", {}, make("span", {}, label), input);

function choice(...options) {
  return make("select", {}, ...options.map(([value, text]) => make("option", { value }, text)));
}

async function challenge() {
  const user = make("input", { required: "", maxlength: "30", autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
  const clock = make("input", { required: "", value: "3+2", pattern: "[0-9.¼½¾]+[ms]?\\+[0-9.]+s?", title: "minutes and seconds as on Lichess, such as 3+2", autocomplete: "off" });
  const mode = choice(["rated", "rated"], ["casual", "casual"]);
  const color = choice(["", "random"], ["white", "white"], ["black", "black"]);
  if (await ask("Challenge", "", "", field("User", user), field("Clock", clock), field("Mode", mode), field("Our colour", color))) {
    await send({ command: "challenge", user: user.value.trim(), clock: clock.value.trim(), mode: mode.value, color: color.value });
  }
}

async function arena() {
  const id = make("input", { required: "", autocomplete: "off", autocapitalize: "none", spellcheck: "false" });
  if (await ask("Join arena", "", "", field("Its id or address", id))) await send({ command: "arena", arena: id.value.trim() });
}

async function sayIn(game) {
  const text = make("input", { required: "", maxlength: "140", autocomplete: "off" });
  if (await ask("Say", describe(game), "", field("To the opponent", text))) await send({ command: "say", game: game.id, text: text.value });
}

// ask shows a dialog with a question and fields, and reports whether it was answered with
// yes; about says what it concerns. The dialog is modal: no other can be opened meanwhile.
function ask(title, about, question, ...fields) {
  const dangerous = ["Resign", "Abort", "Drain"].includes(title);
  const yes = make("button", { type: "submit", class: dangerous ? "danger strong" : "strong" }, title);
  const no = make("button", { type: "button" }, "Not now");
  const texts = [[about, "quiet"], [question, ""]].filter(([text]) => text).map(([text, kind]) => make("p", { class: kind }, text));
  const form = make("form", {}, make("h2", { id: "question" }, title), ...texts, ...fields, make("div", { class: "answers" }, no, yes));
  const dialog = make("dialog", { "aria-labelledby": "question" }, form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    no.addEventListener("click", () => dialog.close());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      dialog.close("yes");
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    dialog.showModal();
    if (dangerous) no.focus();
  });
}
