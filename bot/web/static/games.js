// All cards, each at the seat that the server gives its game.

import { Card } from "./game.js";

export class Games {
  constructor(root) {
    this.root = root;
    this.cards = []; // by seat; undefined is free
    this.seats = 0;
    this.games = new Map(); // id -> seat
  }

  // resize makes room for as many games as the bot plays at once.
  resize(slots) {
    this.slots = slots;
    this.fill(Math.max(slots, this.cards.length));
  }

  fill(seats) {
    while (this.root.childElementCount < seats) this.root.append(Card.free());
    while (this.root.childElementCount > seats) this.root.lastElementChild.remove();
  }

  show(game, connected) {
    const { id, seat } = game;
    if (this.games.has(id) && this.games.get(id) !== seat) this.remove(id);
    for (const [otherId, taken] of this.games) if (taken === seat && otherId !== id) this.games.delete(otherId);
    this.games.set(id, seat);
    this.fill(Math.max(this.slots ?? 0, this.cards.length, seat + 1));
    if (!this.cards[seat]) {
      this.cards[seat] = new Card();
      this.root.children[seat].replaceWith(this.cards[seat].element);
    }
    this.cards[seat].show(game, connected);
  }

  remove(id) {
    const seat = this.games.get(id);
    if (seat === undefined) return;
    this.games.delete(id);
    this.cards[seat].element.replaceWith(Card.free());
    this.cards[seat] = undefined;
    while (this.cards.length && !this.cards.at(-1)) this.cards.pop();
    this.fill(Math.max(this.slots ?? 0, this.cards.length));
  }

  // keep removes all games but those named.
  keep(ids) {
    for (const id of [...this.games.keys()]) if (!ids.has(id)) this.remove(id);
  }

  tick(connected) {
    for (const card of this.cards) card?.tick(connected);
  }
}
