// A recorded match as steps: what lies on the table after each turn, deal, kitty and score. No page is needed for this.

const RANKS = "23456789TJQKA";
const SUITS = "SHCD"; // black and red by turns, as one sorts a hand
const POSITIONS = ["dealer", "forehand", "third hand"];

/** The cards of AKQ.JT9.8.2, suits in the order spades, hearts, diamonds, clubs. */
function cardsOf(hand) {
  return hand.split(".").flatMap((ranks, suit) => [...ranks].map((rank) => rank + "SHDC"[suit]));
}

function sorted(cards) {
  const place = (card) => SUITS.indexOf(card[1]) * 13 + 12 - RANKS.indexOf(card[0]);
  return [...cards].sort((one, other) => place(one) - place(other));
}

/** Targets by seat in a round counted from 0 (R3.1, R9.3, R9.5). */
function targetsOf(rules, number, dealer, contract) {
  const targets = contract === "MISERE" ? [...rules.targets].reverse() : rules.targets;
  const turn = rules.rotate_targets ? number : 0;
  return [0, 1, 2].map((seat) => targets[(((seat - dealer - turn) % 3) + 3) % 3]);
}

/**
 * The steps of a match, each an object of its own that never changes:
 *   kind       deal, give, claim, give_back, kitty, declare, discard, play, score, end
 *   round      its number from 0; seat: whose turn it was; decision: which turn of the match, null where none was
 *   hands      cards by seat; fresh: the cards that a hand has just got
 *   kitty      the kitty, and kittyTaken whether the dealer has it; aside: what he put aside
 *   contract   null until it is announced; targets, taken, totals: by seat
 *   trick      {leader, cards, winner} on the table, winner null until it is complete
 *   tricks     those of the round that are complete
 *   exchange   the exchange of this step as recorded
 *   faults     the faults of this step; out: who has been struck out, by seat
 */
function stepsOf(match) {
  const steps = [];
  const out = [false, false, false];
  let decision = 0;
  match.rounds.forEach((written, number) => {
    const before = number ? match.rounds[number - 1].totals : [0, 0, 0];
    const at = openRound(match, written, number, before);
    for (const [kind, seat, change] of turnsOf(match.rules, written, at)) {
      const turn = !["deal", "kitty", "score", "end"].includes(kind);
      const faults = match.faults.filter((fault) => (turn ? fault.decision === decision : isStart(fault, steps)));
      for (const fault of faults) out[fault.seat] ||= fault.struck_out;
      Object.assign(at, { exchange: null, fresh: [] }, change);
      at.targets = targetsOf(match.rules, number, written.dealer, at.contract);
      steps.push({ ...at, kind, seat, decision: turn ? decision : null, faults, out: [...out] });
      decision += turn;
    }
  });
  steps.push({ ...steps.at(-1), kind: "end", faults: [] });
  return steps;
}

function isStart(fault, steps) {
  return fault.decision === null && steps.length === 0;
}

function openRound(match, written, number, totals) {
  return {
    round: number,
    dealer: written.dealer,
    hands: written.deal.map((hand) => sorted(cardsOf(hand))),
    kitty: written.kitty,
    kittyTaken: false,
    aside: [],
    contract: null,
    taken: [0, 0, 0],
    totals,
    trick: null,
    tricks: [],
  };
}

/** The turns of a round as [kind, seat, what changes with it]. */
function* turnsOf(rules, written, at) {
  const dealer = written.dealer;
  yield ["deal", dealer, { thrownIn: written.thrown_in }];
  for (const exchange of written.exchanges) yield* exchangeOf(exchange, at);
  const take = () => ["kitty", dealer, { ...arrived(at, dealer, written.kitty), kittyTaken: true }];
  if (rules.kitty === "pick-up-first") yield take();
  yield ["declare", dealer, { contract: written.contract }];
  if (written.discard.length) {
    yield ["discard", dealer, { hands: without(at.hands, dealer, written.discard), aside: written.discard }];
  }
  if (rules.kitty === "discard-first") yield take();
  for (const trick of written.tricks) yield* playOf(trick, at);
  yield ["score", dealer, { totals: written.totals, score: written.score, trick: null }];
}

/** A swap is one turn (R5.1); a claim two, unless it lapses (R5.2). */
function* exchangeOf(exchange, at) {
  const { up, down, suit, gave, got } = exchange;
  if (suit === null) {
    yield ["give", up, { exchange, ...(gave === got ? {} : swapped(at, up, down, gave, got)) }];
    return;
  }
  yield ["claim", up, { exchange, ...(got === null ? {} : moved(at, down, up, got)) }];
  if (gave !== null) yield ["give_back", up, { exchange, ...moved(at, up, down, gave) }];
}

function* playOf(written, at) {
  for (const [place, card] of written.cards.entries()) {
    const seat = (written.leader + place) % 3;
    const complete = place === 2;
    const trick = {
      leader: written.leader,
      cards: written.cards.slice(0, place + 1),
      winner: complete ? written.winner : null,
    };
    const change = { hands: without(at.hands, seat, [card]), trick };
    if (complete) {
      change.taken = at.taken.map((tricks, one) => tricks + (one === written.winner));
      change.tricks = [...at.tricks, trick];
    }
    yield ["play", seat, change];
  }
}

function without(hands, seat, cards) {
  return hands.map((hand, one) => (one === seat ? hand.filter((card) => !cards.includes(card)) : hand));
}

function arrived(at, seat, cards, hands = at.hands) {
  return { hands: hands.map((hand, one) => (one === seat ? sorted([...hand, ...cards]) : hand)), fresh: cards };
}

function moved(at, giver, taker, card) {
  return arrived(at, taker, [card], without(at.hands, giver, [card]));
}

function swapped(at, up, down, gave, got) {
  const there = arrived(at, down, [gave], without(at.hands, up, [gave]));
  const back = arrived(at, up, [got], without(there.hands, down, [got]));
  return { hands: back.hands, fresh: [gave, got] };
}
