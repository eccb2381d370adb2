// The page of an analysed game: the viewer, which all keys reach.

import { byId } from "./dom.js";
import { themeButton } from "./theme.js";
import { Viewer } from "./viewer.js";

const viewer = new Viewer(byId("viewer"));
viewer.load(JSON.parse(byId("game").textContent), Number(/^#(\d+)$/.exec(location.hash)?.[1] ?? 0));
document.addEventListener("keydown", (event) => {
  if (!event.target.closest("pre, summary")) viewer.key(event);
});
byId("theme").hidden = false;
themeButton(byId("theme"));
