// How node-finesse chooses: a function for each kind of turn, from the view and the rules to the field of the answer.

import * as cards from "./cards.js";
import { ACE, KING, SUITS, cardsIn, highest, least, lowest, most, ofSuit, rankOf, suitOf, trumpOf } from "./cards.js";
import { Sight } from "./sight.js";

export const choices = {
  // Up in the last round: the low card that brings the most back from view.partner (R5.1).
  GIVE: (view, rules) => {
    const { hand, out } = new Sight(view, rules);
    const offers = SUITS.filter((suit) => ofSuit(hand, suit).length > 0).map((suit) => lowest(ofSuit(hand, suit)));
    return { card: most(offers, (card) => expectedRank(cards.higher(out, card), rankOf(card)) - rankOf(card)) };
  },

  // Where suits are claimed: that of which view.partner probably has the highest card, of equals the longest (R5.2).
  CLAIM: (view, rules) => {
    const { hand, out } = new Sight(view, rules);
    const gain = (suit) => expectedRank(ofSuit(out, suit), 0) + 0.3 * ofSuit(hand, suit).length;
    return { suit: most(view.legal_suits, (name) => gain(SUIT_NAMES.indexOf(name))) };
  },

  GIVE_BACK: (view) => {
    const hand = cardsIn(view.hand);
    return { card: least(cardsIn(view.legal_cards), (card) => keeping(card, hand, longestSuit(hand))) };
  },

  DECLARE: (view) => {
    const hand = cardsIn(view.hand);
    return { contract: most(view.legal_contracts, (contract) => strength(contract, hand)) };
  },

  DISCARD: (view) => {
    const legal = cardsIn(view.legal_cards);
    const value =
      view.contract === "MISERE"
        ? (card) => -rankOf(card)
        : (card) => keeping(card, legal, trumpOf(view.contract));
    return { cards: cards.setOf(legal.sort((one, other) => value(one) - value(other)).slice(0, view.count)) };
  },

  PLAY: (view, rules) => {
    const sight = new Sight(view, rules);
    if (sight.misere) return { card: duck(sight) };
    return { card: sight.leads ? lead(sight) : follow(sight) };
  },
};

const SUIT_NAMES = ["SPADES", "HEARTS", "DIAMONDS", "CLUBS"];
const PARTNER_HOLDS = 0.36; // the chance that a card that is out is in one certain hand of the other two

const longestSuit = (hand) => most(SUITS, (suit) => ofSuit(hand, suit).length);

// The rank to expect as the highest that somebody has of these cards, something else if he has none.
function expectedRank(candidates, otherwise) {
  let none = 1;
  let expected = 0;
  for (const card of [...candidates].reverse()) {
    expected += none * PARTNER_HOLDS * rankOf(card);
    none *= 1 - PARTNER_HOLDS;
  }
  return expected + none * otherwise;
}

// What a card is worth in hand: trumps and what takes tricks stay, short side suits go, since voids can be trumped.
function keeping(card, hand, trump) {
  const length = ofSuit(hand, suitOf(card)).length;
  if (suitOf(card) === trump) return 100 + rankOf(card);
  if (rankOf(card) === ACE) return 60;
  if (rankOf(card) === KING && length > 1) return 40;
  return rankOf(card) + 2 * length;
}

// About how many tricks a hand takes under a contract.
function strength(contract, hand) {
  const trump = trumpOf(contract);
  if (contract === "MISERE") return hand.every((card) => rankOf(card) < 8) ? 99 : -1;
  const honours = hand.filter((card) => rankOf(card) === ACE || (rankOf(card) === KING && suitOf(card) !== trump));
  if (trump < 0) return honours.length + 2;
  const trumps = ofSuit(hand, trump);
  const voids = SUITS.filter((suit) => suit !== trump && ofSuit(hand, suit).length === 0);
  return honours.length + trumps.length + trumps.filter((card) => rankOf(card) > 8).length / 2 + voids.length / 2;
}

// Leading: draw trumps with the most of them, cash what can't be beaten, else low from the longest side suit.
function lead(sight) {
  const trumps = ofSuit(sight.hand, sight.trump);
  const trumpsOut = ofSuit(sight.out, sight.trump).length;
  const drawing = trumpsOut > 0 && trumps.length > trumpsOut / 2;
  if (drawing && sight.isMaster(highest(trumps))) return highest(trumps);
  const side = sight.hand.filter((card) => suitOf(card) !== sight.trump);
  const winners = side.filter((card) => sight.winsProbably(card));
  // Of winners, one of the suit of which most is out: the next time it may be trumped.
  if (winners.length > 0) return most(winners, (card) => ofSuit(sight.out, suitOf(card)).length);
  if (trumps.length > 0 && trumpsOut === 0) return trumps[0];
  if (side.length === 0) return drawing ? lowest(trumps) : highest(trumps);
  return lowest(ofSuit(side, longestSuit(side)));
}

// Following: win as cheaply as will probably do, else throw the card that is worth the least.
function follow(sight) {
  const winners = sight.legal.filter((card) => sight.winsProbably(card));
  const cheapest = (card) => rankOf(card) + (suitOf(card) === sight.trump ? 13 : 0);
  if (winners.length > 0) return least(winners, cheapest);
  return least(sight.legal, (card) => keeping(card, sight.hand, sight.trump));
}

// Misère: the highest card that does not win, else the lowest.
function duck(sight) {
  if (sight.leads) return lowest(sight.legal);
  const losers = sight.legal.filter((card) => !cards.beats(card, sight.best, sight.trump));
  return losers.length > 0 ? highest(losers) : lowest(sight.legal);
}
