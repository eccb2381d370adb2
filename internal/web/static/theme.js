// Light or dark theme: that of the system unless the user chose one.

import { setText } from "./dom.js";

const themes = ["auto", "light", "dark"];
const storageKey = "theme";

function loadTheme() {
  try {
    const theme = localStorage.getItem(storageKey);
    return themes.includes(theme) ? theme : "auto";
  } catch {
    return "auto"; // storage is disabled
  }
}

function saveTheme(theme) {
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // Storage is disabled: the theme lasts until the page is closed.
  }
}

function apply(button, theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  setText(button, `Theme: ${theme}`);
}

// themeButton makes a button cycle through the themes.
export function themeButton(button) {
  let theme = loadTheme();
  apply(button, theme);
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    saveTheme(theme);
    apply(button, theme);
  });
}
