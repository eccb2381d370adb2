// The stream of server-sent events, kept open as long as the page is.

import { setTime } from "./clock.js";

const silenceTimeout = 10000; // ms without an event after which the connection is considered lost
const retryDelay = 3000; // ms

// connect calls on.parts, on.lost, and on.open if there is one, after which all parts follow.
// The browser reconnects by itself as long as it can; when it gives up, we open a new stream.
export function connect(url, on) {
  let source, lastEventAt;
  let version; // of the page's files
  const lost = () => {
    on.lost();
    if (source.readyState === EventSource.CLOSED) setTimeout(open, retryDelay);
  };
  const onMessage = (handler) => (event) => {
    lastEventAt = Date.now();
    handler(JSON.parse(event.data));
  };
  function open() {
    source?.close();
    lastEventAt = Date.now();
    source = new EventSource(url);
    source.addEventListener("hello", onMessage((h) => {
      if (version && version !== h.version) location.reload();
      version = h.version;
      setTime(h.now);
      on.open?.();
    }));
    source.addEventListener("parts", onMessage((list) => {
      for (const { now } of list) setTime(now);
      on.parts(list);
    }));
    source.addEventListener("error", lost);
  }
  open();
  setInterval(() => {
    if (source.readyState === EventSource.OPEN && Date.now() - lastEventAt > silenceTimeout) {
      on.lost();
      open();
    }
  }, 1000);
}
