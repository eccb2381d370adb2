// Questions.

import { button, make } from "./dom.js";

// ask shows a dialog with a question and fields, and reports whether it was answered with
// yes; about says what it concerns. The dialog is modal: no other can be opened meanwhile.
export function ask(title, about, question, ...fields) {
  const dangerous = ["Resign", "Abort", "Drain"].includes(title);
  const yes = make("button", { type: "submit", class: dangerous ? "danger strong" : "strong" }, title);
  const no = button("Not now", () => dialog.close());
  const texts = [[about, "quiet"], [question, ""]].filter(([text]) => text).map(([text, kind]) => make("p", { class: kind }, text));
  const form = make("form", {}, make("h2", { id: "question" }, title), ...texts, ...fields, make("div", { class: "answers" }, no, yes));
  const dialog = make("dialog", { "aria-labelledby": "question" }, form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      dialog.close("yes");
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    dialog.showModal();
    if (dangerous) no.focus();
  });
}
