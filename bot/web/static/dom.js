// Elements are made by hand: text from outside is only ever text.

const svgNamespace = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

export const draw = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(svgNamespace, tag), attributes, children);

export const byId = (id) => document.getElementById(id);

// setText and setAttribute leave alone what is right already, so that nothing is
// laid out or read aloud again without need.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

// announce has a screen reader say something, after what it is saying.
export function announce(text) {
  setText(byId("announcer"), text);
}

// our returns the full address of a path here. A page may be opened by an address
// with a password in it, which scripts may not use.
export const our = (path) => location.origin + path;

// link leads to another site, but only to a web address.
export function link(address, text, label) {
  if (!/^https?:\/\//.test(address)) return make("span", {}, text);
  const attributes = { href: address, target: "_blank", rel: "noopener noreferrer" };
  if (label) attributes["aria-label"] = label;
  return make("a", attributes, text);
}
