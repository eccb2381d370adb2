// Light or dark, as the system says unless told otherwise.

import { setText } from "./dom.js";

const themes = ["auto", "light", "dark"];
const key = "theme";

function remembered() {
  try {
    const theme = localStorage.getItem(key);
    return themes.includes(theme) ? theme : "auto";
  } catch {
    return "auto"; // storage is off
  }
}

function remember(theme) {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // It holds until the page is left.
  }
}

function apply(button, theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  setText(button, `Theme: ${theme}`);
}

// themeButton lets a button go through the themes.
export function themeButton(button) {
  let theme = remembered();
  apply(button, theme);
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    remember(theme);
    apply(button, theme);
  });
}
