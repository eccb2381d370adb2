// The choice of what a pawn becomes.

import { draw, make } from "./dom.js";
import { nameOf, rankOf } from "./position.js";

// choosePromotion asks for one of several moves to a square; it resolves to "" if the
// question is dismissed.
export function choosePromotion(squares, target, moves) {
  const color = rankOf(target) === 7 ? "white" : "black";
  const picture = (type) => draw("svg", { viewBox: "0 0 1 1", "aria-hidden": "true" },
    draw("use", { href: `#piece-${type}`, class: `piece ${color}`, width: 1, height: 1 }));
  const choices = [..."qnrb"].flatMap((type) => {
    const uci = moves.find((move) => move[4] === type);
    return uci ? [make("button", { type: "button", value: uci, "aria-label": `Promote to a ${nameOf(type)}`, title: nameOf(type) }, picture(type))] : [];
  });
  const fromTop = squares.row(target) === 0;
  const menu = make("div", { class: fromTop ? "promotion" : "promotion from-bottom", role: "dialog", "aria-label": "Promote to" }, ...choices);
  menu.style.left = `${squares.column(target) * 12.5}%`;
  return new Promise((resolve) => {
    const answer = (uci) => {
      document.removeEventListener("pointerdown", outside, true);
      menu.remove();
      squares.focus();
      resolve(uci);
    };
    const outside = (event) => {
      if (menu.contains(event.target)) return;
      event.stopPropagation();
      event.preventDefault();
      answer("");
    };
    // The menu opens under a finger, whose lifting must not choose.
    let pressed;
    menu.addEventListener("pointerdown", (event) => { pressed = event.target.closest("button"); });
    menu.addEventListener("pointerup", (event) => {
      if (pressed && pressed === event.target.closest("button")) answer(pressed.value);
    });
    menu.addEventListener("click", (event) => {
      if (event.detail === 0) answer(event.target.closest("button").value); // by keyboard
    });
    menu.addEventListener("keydown", (event) => {
      event.stopPropagation(); // the squares below have keys of their own
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") answer("");
      else if (step) choices[(choices.indexOf(document.activeElement) + step + choices.length) % choices.length].focus();
      else return;
      event.preventDefault();
    });
    document.addEventListener("pointerdown", outside, true);
    squares.element.after(menu); // not within the grid, which has only rows
    choices[0].focus();
  });
}
