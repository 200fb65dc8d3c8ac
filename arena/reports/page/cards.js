// Cards, hands and what lies between them, as elements of the page; what a seat does not see, it is not shown.

const SYMBOLS = { S: "♠\ufe0e", H: "♥\ufe0e", D: "♦\ufe0e", C: "♣\ufe0e" };
const SUIT_NAMES = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
const RANK_NAMES = { T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };
const CONTRACTS = { NT: "no-trump", MISERE: "misère" };
/** An element with a class, and children: elements and texts; an empty text is nothing. */
function element(tag, kind, ...children) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  made.append(...children.filter((child) => child !== ""));
  return made;
}

function colour(suit) {
  return suit === "H" || suit === "D" ? "red" : "black";
}

function cardName(card) {
  return `${RANK_NAMES[card[0]] ?? card[0]} of ${SUIT_NAMES[card[1]]}`;
}

function cardFace(card, ...marks) {
  const rank = card[0] === "T" ? "10" : card[0];
  const suit = SYMBOLS[card[1]];
  const face = element(
    "span",
    ["card", colour(card[1]), ...marks].filter(Boolean).join(" "),
    element("b", "", rank),
    element("i", "", suit),
    element("i", "pip", suit),
  );
  face.setAttribute("role", "img");
  face.setAttribute("aria-label", cardName(card));
  face.dataset.card = card;
  return face;
}

function cardBack() {
  const back = element("span", "card back");
  back.setAttribute("role", "img");
  back.setAttribute("aria-label", "a card face down");
  return back;
}

/** A card within a sentence: Q♥. */
function pips(card) {
  return element("span", `pips ${colour(card.at(-1))}`, card.slice(0, -1).replace("T", "10") + SYMBOLS[card.at(-1)]);
}

function listed(cards) {
  return cards.flatMap((card, number) => (number ? [" ", pips(card)] : [pips(card)]));
}

/** A contract, a suit or a card. */
function contractName(contract) {
  return CONTRACTS[contract] ?? pips(contract);
}

function signed(points) {
  return points > 0 ? `+${points}` : String(points).replace("-", "−");
}

/** A fan of cards, sorted; a gap where another suit begins. */
function fan(cards, open, fresh = []) {
  const slots = cards.map((card, number) => {
    const gap = open && number > 0 && cards[number - 1][1] !== card[1];
    return element("span", gap ? "gap" : "", open ? cardFace(card, fresh.includes(card) && "fresh") : cardBack());
  });
  return element("div", "fan", ...slots);
}

/** What the seat whose eyes we look through sees (R4.1, R5.7); everything where `sight` is null. */
function seesHand(sight, seat) {
  return sight === null || sight === seat;
}

function seesKitty(sight, step) {
  return sight === null || (sight === step.dealer && step.kittyTaken);
}

function seesAside(sight, step) {
  return sight === null || sight === step.dealer;
}

function seesExchange(sight, { up, down }) {
  return sight === null || sight === up || sight === down;
}

/** What lies between the hands. */
function middleOf(step, sight, name, placeOf) {
  switch (step.kind) {
    case "deal":
      return step.kitty.length ? [pile("Kitty", step.kitty, seesKitty(sight, step))] : [];
    case "give":
    case "claim":
    case "give_back":
      return exchanged(step, sight, name);
    case "kitty":
      return [pile("Kitty", step.kitty, seesKitty(sight, step))];
    case "declare":
      return [element("p", "contract", contractName(step.contract)), element("p", "small", `${name(step.seat)} announces`)];
    case "discard":
      return [pile("Put aside", step.aside, seesAside(sight, step))];
    case "play":
      return [trickOf(step.trick, placeOf)];
    default:
      return [];
  }
}

function pile(title, cards, open) {
  return element("div", "pile", element("p", "small", title), fan(open ? sorted(cards) : cards, open));
}

function exchanged(step, sight, name) {
  const { up, down, suit, gave, got } = step.exchange;
  const open = seesExchange(sight, step.exchange);
  const face = (card) => (open ? cardFace(card) : cardBack());
  const line = (card, giver, taker) =>
    element("div", "passed", face(card), element("p", "small", `${name(giver)} → ${name(taker)}`));
  const lines = [];
  if (suit !== null) lines.push(element("p", "claimed", "claimed: ", pips(suit)));
  if (step.kind !== "claim" && gave !== null) lines.push(line(gave, up, down));
  if (step.kind !== "give_back" && got !== null) lines.push(line(got, down, up));
  return lines;
}

function trickOf(trick, placeOf) {
  const cards = trick.cards.map((card, number) => {
    const seat = (trick.leader + number) % 3;
    const marks = [seat === trick.winner && "winner", number === trick.cards.length - 1 && "last"];
    return element("span", `at${placeOf(seat)}`, cardFace(card, "big", ...marks));
  });
  return element("div", "trick", ...cards);
}
