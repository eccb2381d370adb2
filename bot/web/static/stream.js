// The server's events, for as long as the page is open.

const silence = 10000; // ms without a word after which the connection counts as lost
const retry = 3000;

// follow calls on.hello, on.parts and on.lost. The browser reconnects by itself
// while it can; when it gives up, we begin anew.
export function follow(address, on) {
  let source, heard;
  const lost = () => {
    on.lost();
    if (source.readyState === EventSource.CLOSED) setTimeout(open, retry);
  };
  const hear = (take) => (event) => {
    heard = Date.now();
    take(JSON.parse(event.data));
  };
  function open() {
    source?.close();
    heard = Date.now();
    source = new EventSource(address);
    source.addEventListener("hello", hear(on.hello));
    source.addEventListener("parts", hear(on.parts));
    source.addEventListener("error", lost);
  }
  open();
  setInterval(() => {
    if (source.readyState === EventSource.OPEN && Date.now() - heard > silence) {
      on.lost();
      open();
    }
  }, 1000);
}
