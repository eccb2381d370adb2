// The dialog for the next game.

import { byId, make, setText } from "./dom.js";
import { levelName } from "./levels.js";
import { other } from "./position.js";

const clocks = ["none", "1+0", "2+1", "3+0", "3+2", "5+0", "5+3", "10+0", "10+5", "15+10", "30+20"];
const clockName = (clock) => (clock === "none" ? "no clock" : clock);

// NewGame is the dialog. start(settings) resolves to "" or to what is
// wrong with them.
export class NewGame {
  constructor(start) {
    this.dialog = byId("new-game");
    this.form = this.dialog.querySelector("form");
    this.problem = this.dialog.querySelector(".problem");
    const { level, rating, shown } = this.form.elements;
    const chosen = () => {
      const number = Number(rating.value.trim() || level.value);
      return Number.isNaN(number) ? -1 : number; // which is refused
    };
    const show = () => setText(shown, levelName(chosen()));
    level.addEventListener("input", () => { rating.value = ""; show(); });
    rating.addEventListener("input", show);
    this.dialog.querySelector("[value=cancel]").addEventListener("click", () => this.dialog.close());
    this.form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const { side, clock, fen } = this.form.elements;
      const problem = await start({ side: side.value, level: chosen(), clock: clock.value, fen: fen.value.trim() });
      setText(this.problem, problem);
      if (!problem) this.dialog.close();
    });
  }

  // open proposes the settings of the last game, with the sides swapped if it is over.
  open(game, maxLevel) {
    const { side, level, rating, clock, fen } = this.form.elements;
    side.value = game.over ? other(game.us) : game.us;
    level.max = maxLevel;
    level.value = game.level;
    level.dispatchEvent(new Event("input"));
    rating.value = game.level > maxLevel ? game.level : "";
    rating.dispatchEvent(new Event("input"));
    const all = clocks.includes(game.control) ? clocks : [...clocks, game.control];
    clock.replaceChildren(...all.map((value) => make("option", { value }, clockName(value))));
    clock.value = game.control;
    fen.value = "";
    setText(this.problem, "");
    this.dialog.showModal();
  }
}
