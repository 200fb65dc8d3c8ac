// Cards and sets of cards. A card is its code in the protocol, 1..52: 13 * suit + rank + 1, suits 0 spades, 1 hearts,
// 2 diamonds, 3 clubs, ranks 0 the two … 12 the ace. A set on the wire is a number in which bit n stands for code n + 1;
// here it is an array of codes, by suit, low to high.

export const SUITS = [0, 1, 2, 3];
export const ACE = 12;
export const KING = 11;

export const suitOf = (card) => Math.floor((card - 1) / 13);
export const rankOf = (card) => (card - 1) % 13;

// Bit operations on 52 bits need a BigInt.
export function cardsIn(set) {
  const cards = [];
  for (let bits = BigInt(set), card = 1; bits; bits >>= 1n, card++) if (bits & 1n) cards.push(card);
  return cards;
}

export const setOf = (cards) => Number(cards.reduce((bits, card) => bits | (1n << BigInt(card - 1)), 0n));

export const DECK = cardsIn(2 ** 52 - 1);

export const ofSuit = (cards, suit) => cards.filter((card) => suitOf(card) === suit);
export const higher = (cards, than) => cards.filter((card) => suitOf(card) === suitOf(than) && card > than);

// The one of these with the lowest, or highest, value; of equals the first.
export const least = (things, value) => things.reduce((best, thing) => (value(thing) < value(best) ? thing : best));
export const most = (things, value) => least(things, (thing) => -value(thing));

export const lowest = (cards) => least(cards, rankOf);
export const highest = (cards) => most(cards, rankOf);

// The suit that a contract makes trump, -1 if none.
const TRUMPS = ["TRUMP_SPADES", "TRUMP_HEARTS", "TRUMP_DIAMONDS", "TRUMP_CLUBS"];
export const trumpOf = (contract) => TRUMPS.indexOf(contract);

// Whether a card played after another beats it (R6.3).
export const beats = (card, other, trump) =>
  suitOf(card) === suitOf(other) ? card > other : suitOf(card) === trump;
