// The cards of all games. Each keeps its slot, so that no board moves when another game
// begins or ends.

import { Card } from "./game.js";

const narrowest = 290; // px, of a card

export class Games {
  constructor(root) {
    this.root = root;
    this.cards = []; // by slot; undefined for a free one
    new ResizeObserver(() => this.arrange()).observe(root);
  }

  // show shows the games of a status, a new one in the first free slot.
  show({ games, ended, slots }) {
    const shown = [...(games ?? []), ...(ended ?? [])];
    const ids = new Set(shown.map((game) => game.id));
    this.cards = this.cards.map((card) => (ids.has(card?.id) ? card : undefined));
    for (const game of shown) {
      let slot = this.cards.findIndex((card) => card?.id === game.id);
      if (slot < 0) {
        for (slot = 0; this.cards[slot]; slot++);
        this.cards[slot] = new Card(game);
      }
      this.cards[slot].show(game);
    }
    while (this.cards.length && !this.cards.at(-1)) this.cards.pop();
    this.place(Math.max(slots.max, this.cards.length));
  }

  // place puts the cards into their slots.
  place(slots) {
    const { root } = this;
    for (let i = 0; i < slots; i++) {
      const there = root.children[i];
      const element = this.cards[i]?.element ?? (there?.matches(".free") ? there : Card.free());
      if (!there) root.append(element);
      else if (there !== element) there.replaceWith(element);
    }
    while (root.childElementCount > slots) root.lastElementChild.remove();
    this.arrange();
  }

  // arrange makes rows of about as many cards each.
  arrange() {
    const { root: { style, clientWidth, childElementCount: n } } = this;
    const most = Math.max(1, Math.floor(clientWidth / narrowest));
    style.setProperty("--columns", Math.max(1, Math.ceil(n / Math.ceil(n / most))));
  }

  tick() {
    for (const card of this.cards) card?.tick();
  }
}
