// Light or dark theme: that of the system unless the user chose one.

import { setText, stored } from "./dom.js";

const themes = ["auto", "light", "dark"];

function apply(button, theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  setText(button, `Theme: ${theme}`);
}

// themeButton makes a button cycle through the themes.
export function themeButton(button) {
  let theme = themes.find((name) => name === stored("theme")) ?? "auto";
  apply(button, theme);
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    stored("theme", theme);
    apply(button, theme);
  });
}
