// The page: it takes in what the server tells and hands it to its parts.

import { setTime } from "./clock.js";
import { byId, our, setAttribute, setText } from "./dom.js";
import { Games } from "./games.js";
import { Figures, notice, showChallenges } from "./panels.js";
import { readRecords } from "./records.js";
import { follow } from "./stream.js";
import { themeButton } from "./theme.js";

const games = new Games(byId("games"));
const figures = new Figures(byId("figures"));
let connected = false;
let edition;
let fresh = new Set(); // parts that the stream has brought since it opened
let bot;

function connection(up, text) {
  connected = up;
  setText(byId("connection"), text);
  setAttribute(byId("connection"), "class", up ? (bot?.alive === false ? "badge down" : "badge up") : "badge");
}

function showBot(value) {
  bot = value;
  setText(byId("account"), bot.account || "zhbot");
  setText(byId("engine"), `crazyhouse BOT on ${bot.site.replace(/^https?:\/\//, "")}, ${evaluation(bot.network)}`);
  setText(byId("about"), `zhbot ${bot.version}`);
  document.title = bot.account ? `${bot.account} – zhbot` : "zhbot";
  games.resize(bot.max);
  figures.show(bot);
  connection(true, bot.alive ? "connected to Lichess" : "no event stream from Lichess");
  const text = notice(bot);
  byId("notice").hidden = !text;
  setText(byId("notice"), text);
}

const evaluation = (network) => (!network || network === "none" ? "hand-written evaluation" : `network ${network}`);

function take({ now, name, value }) {
  setTime(now);
  fresh.add(name);
  if (name === "bot") showBot(value);
  else if (name === "challenges") showChallenges(value);
  else if (name === "records") readRecords();
  else if (name.startsWith("game/")) value ? games.show(value, connected) : games.remove(name.slice(5));
}

follow(our("/api/stream"), {
  hello(h) {
    if (edition && edition !== h.edition) location.reload();
    edition = h.edition;
    setTime(h.now);
    fresh = new Set();
  },
  parts(list) {
    const first = fresh.size === 0;
    list.sort((a, b) => (a.value === null ? 0 : 1) - (b.value === null ? 0 : 1)).forEach(take);
    if (first) games.keep(new Set([...fresh].filter((n) => n.startsWith("game/")).map((n) => n.slice(5))));
  },
  lost() {
    connection(false, "connection lost, trying again…");
  },
});

setInterval(() => games.tick(connected), 100);
themeButton(byId("theme"));
