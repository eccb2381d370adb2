// The stream of server-sent events, kept open as long as the page is, or is in sight.

import { setTime } from "./clock.js";
import { absoluteURL, byId, setAttribute, setText } from "./dom.js";

const silenceTimeout = 10000; // ms without an event after which the connection is considered lost
const retryDelay = 3000; // ms

// showConnection shows whether the page is connected: "up" or "down".
export function showConnection(text, kind) {
  setText(byId("connection"), text);
  setAttribute(byId("connection"), "class", `badge ${kind}`);
}

// connect calls show with each state of the page, while it is hidden only if told so: over HTTP/1.1
// a browser has six connections to a host, for all its tabs. The browser reconnects by itself as
// long as it can; when it gives up, we open a new stream.
export function connect(show, whileHidden = false) {
  let source, lastEventAt;
  let version; // of the page's files
  const lost = () => {
    setTime();
    showConnection("connection lost, trying again…", "");
    if (source.readyState === EventSource.CLOSED) setTimeout(open, retryDelay);
  };
  function open() {
    source?.close();
    if (document.hidden && !whileHidden) {
      setTime();
      showConnection("connecting…", "");
      return;
    }
    lastEventAt = Date.now();
    source = new EventSource(absoluteURL("/api/stream"));
    source.addEventListener("message", ({ data }) => {
      lastEventAt = Date.now();
      const message = JSON.parse(data);
      if (version && version !== message.version) location.reload();
      version = message.version;
      setTime(message.now);
      if (message.state) show(message.state);
    });
    source.addEventListener("error", lost);
  }
  open();
  if (!whileHidden) document.addEventListener("visibilitychange", open);
  setInterval(() => {
    if (source?.readyState === EventSource.OPEN && Date.now() - lastEventAt > silenceTimeout) {
      lost();
      open();
    }
  }, 1000);
}
