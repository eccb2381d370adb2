// The cards of all games, each in the slot that the server assigned to its game.

import { Card } from "./game.js";

export class Games {
  constructor(root) {
    this.root = root;
    this.cards = []; // by slot; undefined for a free one
    this.games = new Map(); // id -> slot
  }

  // resize sets the number of games that the bot plays at once.
  resize(maxGames) {
    this.maxGames = maxGames;
    this.fill(Math.max(maxGames, this.cards.length));
  }

  fill(slots) {
    while (this.root.childElementCount < slots) this.root.append(Card.free());
    while (this.root.childElementCount > slots) this.root.lastElementChild.remove();
  }

  show(game, connected) {
    const { id, slot } = game;
    if (this.games.has(id) && this.games.get(id) !== slot) this.remove(id);
    for (const [otherId, other] of this.games) if (other === slot && otherId !== id) this.games.delete(otherId);
    this.games.set(id, slot);
    this.fill(Math.max(this.maxGames ?? 0, this.cards.length, slot + 1));
    if (!this.cards[slot]) {
      this.cards[slot] = new Card();
      this.root.children[slot].replaceWith(this.cards[slot].element);
    }
    this.cards[slot].show(game, connected);
  }

  remove(id) {
    const slot = this.games.get(id);
    if (slot === undefined) return;
    this.games.delete(id);
    this.cards[slot].element.replaceWith(Card.free());
    this.cards[slot] = undefined;
    while (this.cards.length && !this.cards.at(-1)) this.cards.pop();
    this.fill(Math.max(this.maxGames ?? 0, this.cards.length));
  }

  // retain removes all games except those with the given ids.
  retain(ids) {
    for (const id of [...this.games.keys()]) if (!ids.has(id)) this.remove(id);
  }

  tick(connected) {
    for (const card of this.cards) card?.tick(connected);
  }
}
