// What happened at a step, in words: lists of texts and elements. What a seat does not see, it is not told.

const ENDS = {
  points: "a total reached the points at which a match ends",
  tricks: "one player took the tricks that win a match",
  rounds: "all rounds were played",
  "deciding-round": "a deciding round settled the tie",
  "round-limit": "the most rounds that a match may have were played",
};

class Words {
  /** Of a recorded match, through the eyes of a seat; `sight` is null where all is seen. */
  constructor(match, sight) {
    this.match = match;
    this.sight = sight;
  }

  name(seat) {
    return this.match.seats[seat].bot;
  }

  /** Whose choice a turn was: the bot's, or the stand-in's in its place. */
  chooser(step) {
    const substituted = step.out[step.seat] || step.faults.some((fault) => fault.decision !== null);
    return this.name(step.seat) + (substituted ? "’s stand-in" : "");
  }

  of(step) {
    switch (step.kind) {
      case "deal":
        return [`Round ${step.round + 1}: ${this.name(step.seat)} deals.`, ...step.thrownIn.map(({ why }) => ` A deal was thrown in: ${why}.`)];
      case "give":
        return this.swap(step);
      case "claim":
        return this.claim(step);
      case "give_back":
        return [`${this.chooser(step)} gives `, this.card(step, "gave"), ` back to ${this.name(step.exchange.down)}.`];
      case "kitty":
        return [`${this.name(step.seat)} takes the kitty`, ...(seesKitty(this.sight, step) ? [": ", ...listed(sorted(step.kitty))] : []), "."];
      case "declare":
        return [`${this.chooser(step)} announces `, contractName(step.contract), "."];
      case "discard":
        return [`${this.chooser(step)} puts aside `, ...(seesAside(this.sight, step) ? listed(sorted(step.aside)) : ["four cards"]), "."];
      case "play":
        return this.play(step);
      case "score":
        return [`The round is over. ${[0, 1, 2].map((seat) => this.result(step, seat)).join("; ")}.`];
      default:
        return this.end();
    }
  }

  card(step, which) {
    return seesExchange(this.sight, step.exchange) ? pips(step.exchange[which]) : "a card";
  }

  swap(step) {
    const { down, gave, got } = step.exchange;
    const [giver, taker] = [this.chooser(step), this.name(down)];
    if (!seesExchange(this.sight, step.exchange)) return [`${giver} and ${taker} exchange a card.`];
    return gave === got
      ? [`${giver} gives `, pips(gave), ` to ${taker}, who has no higher one: it comes back.`]
      : [`${giver} gives `, pips(gave), ` to ${taker} and gets `, pips(got), "."];
  }

  claim(step) {
    const { down, suit, got } = step.exchange;
    const answer = got === null ? [" has none: the claim lapses."] : [" hands over ", this.card(step, "got"), "."];
    return [`${this.chooser(step)} claims `, pips(suit), ` from ${this.name(down)}, who`, ...answer];
  }

  play(step) {
    const { cards, winner } = step.trick;
    const taken = winner === null ? "" : ` ${this.name(winner)} takes the trick, number ${step.taken[winner]}.`;
    return [`${this.chooser(step)} ${cards.length === 1 ? "leads" : "plays"} `, pips(cards.at(-1)), ".", taken];
  }

  result(step, seat) {
    return `${this.name(seat)} ${step.taken[seat]} of ${step.targets[seat]}: ${signed(step.score[seat])}`;
  }

  end() {
    const [first, second, third] = [1, 2, 3].map((place) => this.name(this.match.placing.indexOf(place)));
    return [`${first} wins, ${second} is second, ${third} third: ${ENDS[this.match.end]}.`];
  }

  /** A fault; its reason may name cards that only its own seat sees. */
  fault(fault) {
    const open = seesHand(this.sight, fault.seat);
    const said = element("bdi", "", open ? fault.why : fault.detail);
    const choice = open && fault.substitute !== null ? [" The stand-in chose ", ...chosen(fault.substitute), "."] : [];
    const out = fault.struck_out ? element("strong", "", " Struck out of the match.") : "";
    return element("span", "line", element("strong", "", `${this.name(fault.seat)}: ${fault.kind}. `), said, ...choice, out);
  }

  trick(trick) {
    return element("li", "", `${this.name(trick.leader)}: `, ...listed(trick.cards), " → ", element("b", "", this.name(trick.winner)));
  }

  /** The round, the contract, and the cards beside the play. */
  round(step) {
    const parts = [`Round ${step.round + 1} of ${this.match.rounds.length}`];
    if (step.contract) parts.push(" · ", element("b", "", contractName(step.contract)), ` by ${this.name(step.dealer)}`);
    if (step.aside.length && seesAside(this.sight, step)) parts.push(" · put aside ", ...listed(sorted(step.aside)));
    if (step.kittyTaken && seesKitty(this.sight, step)) parts.push(" · kitty ", ...listed(sorted(step.kitty)));
    return parts;
  }
}

/** What the stand-in chose: a card, four cards, a suit or a contract. */
function chosen(substitute) {
  return Array.isArray(substitute) ? listed(substitute) : [contractName(substitute)];
}
