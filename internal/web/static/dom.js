// Elements are created without markup, so that text from outside is never parsed as HTML.

const svgNamespace = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

// button creates a button that calls click.
export function button(text, click, attributes = {}) {
  const element = make("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", click);
  return element;
}

export const draw = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(svgNamespace, tag), attributes, children);

export const byId = (id) => document.getElementById(id);

// setText and setAttribute do nothing if the value is unchanged, so that nothing is laid
// out or read aloud again without need.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

// stored returns what the browser stores under a key, after storing a value if it is given. Without
// storage, a value lasts until the page is closed.
export function stored(key, value) {
  try {
    if (value) localStorage.setItem(key, value);
    return localStorage.getItem(key);
  } catch {
    return undefined;
  }
}

// announce makes a screen reader read a text after the current one, even if it is the same.
export const announce = (text) => byId("announcer").replaceChildren(text);

// absoluteURL returns the URL of a path without credentials: fetch rejects relative URLs
// on a page whose URL contains a password.
export const absoluteURL = (path) => location.origin + path;

// link creates a link to another site, or plain text if the URL is not http or https.
export function link(address, text, label) {
  if (!/^https?:\/\//.test(address)) return make("span", {}, text);
  const attributes = { href: address, target: "_blank", rel: "noopener noreferrer" };
  if (label) attributes["aria-label"] = label;
  return make("a", attributes, text);
}
