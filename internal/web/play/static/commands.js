// Commands to the server. What they change comes back on the stream.

import { absoluteURL } from "./dom.js";

// send sends a command and returns "", or what the server has against it.
export async function send(name, command) {
  try {
    const response = await fetch(absoluteURL(`/api/${name}`), {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(command),
    });
    if (response.ok) return "";
    const type = response.headers.get("Content-Type") ?? "";
    const text = type.startsWith("application/json") ? (await response.json()).error : await response.text();
    return `${sentence(text)}.`;
  } catch {
    return "The program cannot be reached. Is it still running?";
  }
}

const sentence = (text) => text.trim().replace(/\.$/, "").replace(/^./, (first) => first.toUpperCase());
