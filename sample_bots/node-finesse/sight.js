// What can be told from a view: which cards are out, who may still hold what, and what lies on the table.

import { DECK, beats, cardsIn, higher, ofSuit, suitOf, trumpOf } from "./cards.js";

export class Sight {
  constructor(view, rules) {
    const played = [...view.played];
    this.seat = view.seat;
    this.hand = cardsIn(view.hand);
    this.legal = cardsIn(view.legal_cards);
    this.trump = trumpOf(view.contract);
    this.misere = view.contract === "MISERE";
    this.table = played.slice(played.length - (played.length % 3));

    const known = new Set([...this.hand, ...played, ...cardsIn(view.discard), ...cardsIn(rules.removed)]);
    // The cards in the other two hands, and four more that nobody plays unless it was this bot that put them aside.
    this.out = DECK.filter((card) => !known.has(card));
    this.voids = voids(played, view.leaders);
  }

  get leads() {
    return this.table.length === 0;
  }

  // The card that wins the trick so far.
  get best() {
    return this.table.reduce((best, card) => (beats(card, best, this.trump) ? card : best));
  }

  // The seats that play to this trick after this bot.
  get after() {
    return [this.next(1), this.next(2)].slice(0, 2 - this.table.length);
  }

  next(steps) {
    return ((this.seat - 1 + steps) % 3) + 1;
  }

  mayHold(seat, suit) {
    return !this.voids[seat].has(suit) && ofSuit(this.out, suit).length > 0;
  }

  // Whether a card can't be beaten by a higher one of its suit.
  isMaster(card) {
    return higher(this.out, card).length === 0;
  }

  // Whether a seat that has yet to play may trump a suit: it has shown that it has none, or none are left for it.
  mayTrump(seat, suit) {
    return suit !== this.trump && this.mayHold(seat, this.trump) && !this.mayHold(seat, suit);
  }

  // Whether a card wins the trick so far, and is likely to win it in the end.
  winsProbably(card) {
    if (!this.leads && !beats(card, this.best, this.trump)) return false;
    const led = this.leads ? suitOf(card) : suitOf(this.table[0]);
    const above = higher(this.out, card).length;
    return this.after.every((seat) => {
      if (suitOf(card) === led) return !this.mayTrump(seat, led) && (above === 0 || this.voids[seat].has(led));
      return this.mayHold(seat, led) || above === 0 || !this.mayHold(seat, this.trump); // a trump on another suit
    });
  }
}

// By seat, the suits that it has shown it does not hold, by not following them (R6.2).
function voids(played, leaders) {
  const shown = [null, new Set(), new Set(), new Set()];
  played.forEach((card, number) => {
    const led = suitOf(played[number - (number % 3)]);
    const seat = ((leaders[Math.floor(number / 3)] - 1 + (number % 3)) % 3) + 1;
    if (suitOf(card) !== led) shown[seat].add(led);
  });
  return shown;
}
