// The page: it passes the state of the bot, which the server sends, to the components.

import { showControls } from "./controls.js";
import { absoluteURL, byId, setAttribute, setText } from "./dom.js";
import { Games } from "./games.js";
import { Figures, notice, showChallenges } from "./panels.js";
import { followGames } from "./records.js";
import { connect } from "./stream.js";
import { themeButton } from "./theme.js";

const games = new Games(byId("games"));
const figures = new Figures(byId("figures"));
let connected = false;

function showConnection(up, text, kind) {
  connected = up;
  setText(byId("connection"), text);
  setAttribute(byId("connection"), "class", `badge ${kind}`);
}

// show shows a status, which is that of "zhbot ctl status --json".
function show(status) {
  if (status.connected) showConnection(true, "connected to Lichess", "up");
  else showConnection(true, "no event stream from Lichess", "down");
  const { account, server, program, network } = status;
  const searcher = program ? `searched by ${program}` : network && `network ${network}`;
  setText(byId("account"), account || "zhbot");
  setText(byId("engine"), [`crazyhouse BOT on ${server.replace(/^https?:\/\//, "")}`, searcher].filter(Boolean).join(", "));
  setText(byId("about"), `zhbot ${status.version}`);
  document.title = account ? `${account} – zhbot` : "zhbot";
  showControls(status);
  games.show(status, connected);
  figures.show(status);
  showChallenges(status.decisions ?? []);
  followGames(status);
  const text = notice(status);
  byId("notice").hidden = !text;
  setText(byId("notice"), text);
}

connect(absoluteURL("/api/stream"), {
  state: show,
  lost() {
    showConnection(false, "connection lost, trying again…", "");
  },
});

setInterval(() => games.tick(connected), 100);
themeButton(byId("theme"));
