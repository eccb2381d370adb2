// The page: it passes the messages of the server to the components.

import { setTime } from "./clock.js";
import { showControls } from "./controls.js";
import { absoluteURL, byId, setAttribute, setText } from "./dom.js";
import { Games } from "./games.js";
import { Figures, notice, showChallenges } from "./panels.js";
import { allowAnalyses, readRecords } from "./records.js";
import { connect } from "./stream.js";
import { themeButton } from "./theme.js";

const games = new Games(byId("games"));
const figures = new Figures(byId("figures"));
let connected = false;
let version; // of the page's files
let received = new Set(); // names of the parts received since the stream opened
let bot;

function showConnection(up, text) {
  connected = up;
  setText(byId("connection"), text);
  setAttribute(byId("connection"), "class", up ? (bot?.alive === false ? "badge down" : "badge up") : "badge");
}

function showBot(value) {
  bot = value;
  setText(byId("account"), bot.account || "zhbot");
  setText(byId("engine"), [`crazyhouse BOT on ${bot.site.replace(/^https?:\/\//, "")}`, searcherName(bot)].filter(Boolean).join(", "));
  setText(byId("about"), `zhbot ${bot.version}`);
  document.title = bot.account ? `${bot.account} – zhbot` : "zhbot";
  showControls(bot);
  allowAnalyses(bot.analyses);
  games.resize(bot.max);
  figures.show(bot);
  showConnection(true, bot.alive ? "connected to Lichess" : "no event stream from Lichess");
  const text = notice(bot);
  byId("notice").hidden = !text;
  setText(byId("notice"), text);
}

const searcherName = ({ program, network }) => (program ? `searched by ${program}` : network && `network ${network}`);

function showPart({ now, name, value }) {
  setTime(now);
  received.add(name);
  if (name === "bot") showBot(value);
  else if (name === "challenges") showChallenges(value);
  else if (name === "records") readRecords();
  else if (name.startsWith("game/")) value ? games.show(value, connected) : games.remove(name.slice(5));
}

connect(absoluteURL("/api/stream"), {
  hello(h) {
    if (version && version !== h.version) location.reload();
    version = h.version;
    setTime(h.now);
    received = new Set();
  },
  parts(list) {
    const first = received.size === 0;
    list.sort((a, b) => (a.value === null ? 0 : 1) - (b.value === null ? 0 : 1)).forEach(showPart);
    if (first) games.retain(new Set([...received].filter((n) => n.startsWith("game/")).map((n) => n.slice(5))));
  },
  lost() {
    showConnection(false, "connection lost, trying again…");
  },
});

setInterval(() => games.tick(connected), 100);
themeButton(byId("theme"));
