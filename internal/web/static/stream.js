// The stream of server-sent events, kept open as long as the page is.

import { setTime } from "./clock.js";

const silenceTimeout = 10000; // ms without an event after which the connection is considered lost
const retryDelay = 3000; // ms

// connect calls on.state with each state of the page, and on.lost. The browser reconnects by
// itself as long as it can; when it gives up, we open a new stream.
export function connect(url, on) {
  let source, lastEventAt;
  let version; // of the page's files
  const lost = () => {
    on.lost();
    if (source.readyState === EventSource.CLOSED) setTimeout(open, retryDelay);
  };
  function open() {
    source?.close();
    lastEventAt = Date.now();
    source = new EventSource(url);
    source.addEventListener("message", ({ data }) => {
      lastEventAt = Date.now();
      const message = JSON.parse(data);
      if (version && version !== message.version) location.reload();
      version = message.version;
      setTime(message.now);
      if (message.state) on.state(message.state);
    });
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
