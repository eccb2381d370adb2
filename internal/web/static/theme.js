// Light or dark theme: that of the system unless the user chose one.

import { setText } from "./dom.js";

const themes = ["auto", "light", "dark"];
const storageKey = "theme";

// stored returns the stored theme, after storing one if it is given. Without storage, a theme
// lasts until the page is closed.
function stored(theme) {
  try {
    if (theme) localStorage.setItem(storageKey, theme);
    return localStorage.getItem(storageKey);
  } catch {
    return undefined;
  }
}

function apply(button, theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  setText(button, `Theme: ${theme}`);
}

// themeButton makes a button cycle through the themes.
export function themeButton(button) {
  let theme = themes.find((name) => name === stored()) ?? "auto";
  apply(button, theme);
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    stored(theme);
    apply(button, theme);
  });
}
