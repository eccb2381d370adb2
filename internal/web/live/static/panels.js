// The header of the page, the challenges, the rating and the score.

import { byId, draw, make, setAttribute } from "./dom.js";
import { formatCount } from "./evaluation.js";
import { player } from "./moves.js";
import { serverNow } from "./clock.js";

// showFigures shows the key figures of the bot.
export function showFigures(status) {
  const { slots, threads, reserved_for_humans: forHumans } = { ...status, ...status.slots };
  const reserved = forHumans ? `${forHumans} for humans` : "";
  const figures = [
    ["Rating", status.rating || "–"],
    ["Games", `${slots.games} of ${slots.max}`, [slots.bots && `${slots.bots} against bots`, reserved].filter(Boolean).join(", ")],
    ["Searching", status.searching, `on ${threads} ${threads === 1 ? "thread" : "threads"}`],
    ["Speed", formatCount(status.nps), "nodes/s"],
    ["Reconnects", status.reconnects],
    ["Uptime", formatDuration(serverNow() - Date.parse(status.started))],
  ];
  byId("figures").replaceChildren(...figures.map(([name, value, more = ""]) => make("div", {}, make("dt", {}, name), make("dd", {}, String(value), " ", make("small", {}, more)))));
}

// formatDuration formats a duration such as 3 h 12 min.
function formatDuration(ms) {
  const minutes = Math.max(0, Math.floor(ms / 60000));
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 1440)} days`;
}

const reasons = {
  later: "not now", tooFast: "too fast", tooSlow: "too slow", timeControl: "time control",
  rated: "only rated", casual: "only casual", standard: "only standard", variant: "variant", noBot: "no bots", onlyBot: "only bots",
};
const rules = {
  "challenges.humans": "within the terms", "challenges.bots": "within the terms",
  "challenges.allow": "always allowed", "challenges.block": "blocked", "challenges.block_url": "on a block list",
};

// showChallenges lists the latest challenges with the decisions.
export function showChallenges(list) {
  byId("no-challenges").hidden = list.length > 0;
  byId("challenges").hidden = list.length === 0;
  byId("challenges").tBodies[0].replaceChildren(...list.map(challengeRow));
}

function challengeRow(c) {
  const pending = c.sender ? "sent, waiting" : `waiting, to ${c.accept ? "accept" : "decline"}`;
  const kind = { accepted: "accept", declined: "decline" }[c.outcome] ?? (c.outcome ? "" : "waiting");
  const sender = c.sender && (c.sender === "operator" ? "sent at a command" : `sent by ${c.sender}`);
  const why = [sender, reasons[c.reason], rules[c.rule] ?? c.rule].filter(Boolean).join(": ");
  return make("tr", {}, make("td", {}, ...player(c.opponent)),
    make("td", {}, `${c.clock} ${c.rated ? "rated" : "casual"}`), make("td", {}, make("span", { class: kind }, c.outcome ?? pending), " ", make("small", {}, formatRecent(Date.parse(c.at)))),
    make("td", {}, why));
}

// showScore fills the table of wins, draws and losses.
export function showScore(score) {
  const rows = [["Humans", score.humans], ["Bots", score.bots]].map(([name, s]) => {
    const games = s.won + s.drawn + s.lost;
    const percentage = games ? `${((100 * (s.won + s.drawn / 2)) / games).toFixed(1)} %` : "–";
    const cells = [games, s.won, s.drawn, s.lost, percentage].map((v) => make("td", {}, String(v)));
    return make("tr", {}, make("th", { scope: "row" }, name), ...cells);
  });
  byId("score").tBodies[0].replaceChildren(...rows);
}

// describeReason formats the reason why a rated game did not count.
export const describeReason = (reason) => reason.replaceAll("_", " ");

// showUncounted shows how many rated games changed no rating, by reason.
export function showUncounted(games) {
  const list = Object.entries(games ?? {}).map(([reason, n]) => `${n} (${describeReason(reason)})`);
  byId("uncounted").hidden = list.length === 0;
  byId("uncounted").textContent = `Rated games that did not count: ${list.join(", ")}.`;
}

// showComparison fills the tables of the contenders and their differences.
export function showComparison(c, sprt) {
  byId("comparison").hidden = !c;
  byId("sprt").hidden = !sprt;
  byId("sprt").textContent = `Test: ${sprt}`;
  if (!c) return;
  const row = (header, ...cells) => make("tr", {}, make("th", { scope: "row" }, header), ...cells.map((v) => make("td", {}, String(v))));
  byId("left-out").textContent = c.left_out ? ` but ${Object.entries(c.left_out).map(([reason, n]) => `${n} (${reason})`).join(", ")}` : "";
  const contenders = (c.contenders ?? []).map((k) => row(k.name, k.games, `${k.elo.toFixed(0)} ± ${k.error.toFixed(0)}`));
  byId("contenders").tBodies[0].replaceChildren(...contenders);
  const differences = c.differences ?? [];
  byId("differences").hidden = differences.length === 0;
  const more = (n) => (n >= 100000 ? "over 100000" : n);
  byId("differences").tBodies[0].replaceChildren(
    ...differences.map((d) => row(`${d.stronger} over ${d.weaker}`, `${d.elo.toFixed(0)} ± ${d.error.toFixed(0)}`, `${d.superiority.toFixed(1)} %`, more(d.more_games))),
  );
}

const [height, left, bottom] = [170, 40, 20];
let points = []; // [time, rating]

// showRating draws the rating over time.
export function showRating(list) {
  points = list;
  drawRating();
}

new ResizeObserver(drawRating).observe(byId("rating"));

function drawRating() {
  const root = byId("rating");
  const width = root.clientWidth; // or texts would be scaled
  if (points.length < 2) {
    root.replaceChildren(make("p", { class: "empty" }, points.length ? `One rated game so far: ${points[0][1]}.` : "No rated games yet."));
    return;
  }
  const ratings = points.map((p) => p[1]);
  const step = niceStep(Math.max(...ratings) - Math.min(...ratings));
  const [low, high] = [Math.floor(Math.min(...ratings) / step) * step, Math.ceil((Math.max(...ratings) + 1) / step) * step];
  const [first, last] = [points[0][0], points.at(-1)[0]];
  const x = (t) => left + ((width - left - 12) * (t - first)) / Math.max(1, last - first);
  const y = (r) => 8 + ((height - bottom - 8) * (high - r)) / (high - low);
  const chart = draw("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img" });
  for (let r = low; r <= high; r += step) {
    chart.append(draw("path", { class: "grid", d: `M${left} ${y(r)}H${width}` }), draw("text", { x: left - 6, y: y(r) + 4, "text-anchor": "end" }, String(r)));
  }
  chart.append(draw("text", { x: left, y: height - 4 }, formatTime(first)), draw("text", { x: width - 4, y: height - 4, "text-anchor": "end" }, formatTime(last)));
  chart.append(draw("path", { class: "path", d: `M${points.map(([t, r]) => `${x(t).toFixed(1)} ${y(r).toFixed(1)}`).join("L")}` }));
  chart.append(draw("circle", { class: "dot", cx: x(last), cy: y(ratings.at(-1)), r: 3.5 }));
  setAttribute(chart, "aria-label", `Rating from ${ratings[0]} at ${formatTime(first)} to ${ratings.at(-1)} at ${formatTime(last)}, lowest ${Math.min(...ratings)}, highest ${Math.max(...ratings)}`);
  root.replaceChildren(chart);
}

function niceStep(range) {
  return [5, 10, 20, 25, 50, 100, 200, 250, 500].find((s) => range / s <= 4) ?? 1000;
}

// formatHour formats the time of day in the viewer's locale.
const formatHour = (ms) => new Date(ms).toLocaleTimeString(undefined, { timeStyle: "short" });

// formatRecent formats a time of today without its date.
export const formatRecent = (ms) => (new Date(ms).toDateString() === new Date().toDateString() ? formatHour : formatTime)(ms);

// formatTime formats a time in the viewer's locale.
const formatTime = (ms) => new Date(ms).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
