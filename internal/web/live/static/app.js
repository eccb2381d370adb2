// The page: it passes the state of the bot, which the server sends, to the components.

import { showControls } from "./controls.js";
import { byId, setText } from "./dom.js";
import { Games } from "./games.js";
import { showChallenges, showFigures } from "./panels.js";
import { followGames } from "./records.js";
import { connect, showConnection } from "./stream.js";
import { themeButton } from "./theme.js";

const games = new Games(byId("games"));

// show shows a status, which is that of "zhbot ctl status --json".
function show(status) {
  if (status.connected) showConnection("connected to Lichess", "up");
  else showConnection("no event stream from Lichess", "down");
  const { account, server, program, network } = status;
  const searcher = program ? `searched by ${program}` : network && `network ${network}`;
  setText(byId("account"), account || "zhbot");
  setText(byId("engine"), [`crazyhouse BOT on ${server.replace(/^https?:\/\//, "")}`, searcher].filter(Boolean).join(", "));
  setText(byId("about"), `zhbot ${status.version}`);
  document.title = account ? `${account} – zhbot` : "zhbot";
  showControls(status);
  games.show(status);
  showFigures(status);
  showChallenges(status.decisions ?? []);
  followGames(status);
  const text = (status.notices ?? []).join("\n");
  byId("notice").hidden = !text;
  setText(byId("notice"), text);
}

connect(show);
setInterval(() => games.tick(), 100);
themeButton(byId("theme"));
