// Clocks that run between the server's messages.

import { setAttribute, setText } from "./dom.js";

let clockOffset = 0; // server clock minus ours, in ms
let connected = false;

// setTime synchronises with the server's clock; undefined means that the connection is lost.
export function setTime(now) {
  connected = now !== undefined;
  if (connected) clockOffset = now - Date.now();
}

export const serverNow = () => Date.now() + clockOffset;

// timeLeft returns a side's remaining time now, in ms.
function timeLeft(clock, side, turn) {
  const run = clock.running && side === turn ? Math.max(0, serverNow() - clock.at) : 0;
  return Math.max(0, clock[side] - run);
}

const pad = (n) => String(n).padStart(2, "0");

// clockText formats a time as 1:02:03, 2:03, or 0:12.3 below 20 seconds.
export function clockText(ms) {
  if (ms < 20000) {
    const tenths = Math.floor(ms / 100);
    return `0:${pad(Math.floor(tenths / 10))}.${tenths % 10}`;
  }
  const seconds = Math.floor(ms / 1000);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`;
}

const lowTime = 10000;

// showClock updates a side's clock.
export function showClock(element, clock, side, turn) {
  if (!clock) {
    setText(element, "");
    setAttribute(element, "class", "clock");
    return;
  }
  const left = timeLeft(clock, side, turn);
  const runs = clock.running && side === turn && connected;
  setText(element, clockText(left));
  setAttribute(element, "class", runs ? (left < lowTime ? "clock low" : "clock runs") : "clock");
}
