#include "choices.h"

#include <array>
#include <random>
#include <utility>

#include "playout.h"

namespace proto = threefiveeight::v1;

namespace {

constexpr int DEALS_TO_PLAY = 200;     // for each card that may be played
constexpr int DEALS_TO_DECLARE = 100;  // for each contract
constexpr double PARTNER_HOLDS = 0.36;  // the chance that an unseen card is in the hand one exchanges with

// The protocol's codes count from 1.
int seat_of(unsigned code) { return static_cast<int>(code) - 1; }
int trump_of(proto::Contract contract) { return contract <= proto::TRUMP_CLUBS ? contract - 1 : NO_SUIT; }

int position_of(int seat, const proto::View& view) { return (seat - seat_of(view.dealer()) + 3) % 3; }

// What a round scores (R7.1, R9.3, R9.5).
int points(int tricks, const proto::View& view, const proto::Rules& rules, bool misere) {
    const int shift = rules.rotate_targets() ? static_cast<int>(view.round() % 3) : 0;
    const int index = (position_of(seat_of(view.seat()), view) - shift + 3) % 3;
    const int target = static_cast<int>(rules.targets(misere ? 2 - index : index));
    return misere ? target - tricks : tricks - target;
}

// The same position, the same dice.
std::mt19937_64 dice_of(const proto::View& view) {
    return std::mt19937_64(view.seed() + (std::uint64_t{view.decision()} << 52));
}

Cards played(const proto::View& view) {
    Cards cards = 0;
    for (const char code : view.played()) cards |= one(code - 1);
    return cards;
}

Cards unseen(const proto::View& view, const proto::Rules& rules) {
    return deck & ~(rules.removed() | view.hand() | view.discard() | played(view));
}

int tricks_in_round(const proto::Rules& rules) {
    return (count(deck & ~rules.removed()) - (rules.kitty() == "none" ? 0 : 4)) / 3;
}

// What it costs to part with a card: trumps and what may take a trick are worth more.
int worth(Card card, Cards hand, int trump) {
    const int length = count(hand & suit(suit_of(card)));
    if (suit_of(card) == trump) return 100 + rank_of(card);
    if (rank_of(card) == 12) return 60;
    if (rank_of(card) == 11 && length > 1) return 40;
    return rank_of(card) + 2 * length;  // short suits go first: a void can be trumped
}

Cards worst(Cards hand, int number, int trump, bool misere) {
    Cards chosen = 0;
    while (count(chosen) < number) {
        Card best = NO_CARD;
        each(hand & ~chosen, [&](Card card) {
            const bool worse = misere ? best == NO_CARD || rank_of(card) > rank_of(best)
                                      : best == NO_CARD || worth(card, hand, trump) < worth(best, hand, trump);
            if (worse) best = card;
        });
        chosen |= one(best);
    }
    return chosen;
}

// The rank to expect as the highest that the partner holds of these cards; something else if he holds none.
double rank_to_expect(Cards cards, double otherwise) {
    double left = 1, expected = 0;
    for (; cards; cards &= ~one(highest(cards))) {
        expected += left * PARTNER_HOLDS * rank_of(highest(cards));
        left *= 1 - PARTNER_HOLDS;
    }
    return expected + left * otherwise;
}

int longest_suit(Cards hand) {
    int best = 0;
    for (int other = 1; other < 4; other++) {
        if (count(hand & suit(other)) > count(hand & suit(best))) best = other;
    }
    return best;
}

// Swap: the low card that brings the most (R5.1).
Card give(const proto::View& view, const proto::Rules& rules) {
    Card best = NO_CARD;
    double most = 0;
    for (int s = 0; s < 4; s++) {
        const Cards mine = view.legal_cards() & suit(s);
        if (!mine) continue;
        const Card card = lowest(mine);
        const double gain = rank_to_expect(unseen(view, rules) & above(card), rank_of(card)) - rank_of(card);
        if (best == NO_CARD || gain > most) {
            best = card;
            most = gain;
        }
    }
    return best;
}

// Claim: where the partner's highest card is likely to be high, of equals in the longest suit (R5.2).
int claim(const proto::View& view, const proto::Rules& rules) {
    int best = NO_SUIT;
    double most = 0;
    for (const int code : view.legal_suits()) {
        const int s = code - 1;
        const double gain = rank_to_expect(unseen(view, rules) & suit(s), 0) + 0.3 * count(view.hand() & suit(s));
        if (best == NO_SUIT || gain > most) {
            best = s;
            most = gain;
        }
    }
    return best;
}

// The contract that scores best over random deals of the other cards.
proto::Contract declare(const proto::View& view, const proto::Rules& rules) {
    const int me = seat_of(view.seat()), size = tricks_in_round(rules);
    const bool kitty_to_come = rules.kitty() == "discard-first";
    Hidden hidden{unseen(view, rules), {size, size, size}, {}};
    hidden.sizes[me] = kitty_to_come ? 4 : 0;
    auto best = proto::CONTRACT_MISSING;
    int most = 0;
    for (const int code : view.legal_contracts()) {
        const auto contract = static_cast<proto::Contract>(code);
        const bool misere = contract == proto::MISERE;
        auto dice = dice_of(view);
        int total = 0;
        for (int n = 0; n < DEALS_TO_DECLARE; n++) {
            Position position;
            position.trump = trump_of(contract);
            position.misere = misere;
            position.hands = hidden.deal(dice);
            const int aside = count(view.hand()) + hidden.sizes[me] - size;
            position.hands[me] |= view.hand() & ~worst(view.hand(), aside, position.trump, misere);
            position.turn = rules.first_lead() == "dealer" ? me : (me + 1) % 3;
            position.play_out();
            total += points(position.taken[me], view, rules, misere);
        }
        if (best == proto::CONTRACT_MISSING || total > most) {
            best = contract;
            most = total;
        }
    }
    return best;
}

// The position on the table, as far as it can be seen, and what is known of the cards that can't be.
std::pair<Position, Hidden> seen(const proto::View& view, const proto::Rules& rules) {
    const int me = seat_of(view.seat()), size = tricks_in_round(rules);
    Position position;
    position.trump = trump_of(view.contract());
    position.misere = view.contract() == proto::MISERE;
    Hidden hidden{unseen(view, rules), {size, size, size}, {}};
    for (std::size_t n = 0; n < view.played().size(); n++) {
        if (n % 3 == 0) position.turn = seat_of(view.leaders()[n / 3]);
        const Card card = view.played()[n] - 1;
        hidden.sizes[position.turn]--;
        if (position.led != NO_SUIT && position.led != suit_of(card)) hidden.never[position.turn] |= suit(position.led);
        position.play(card);
    }
    for (int seat = 0; seat < 3; seat++) position.taken[seat] = static_cast<int>(view.taken(seat));
    position.turn = me;
    hidden.sizes[me] = 0;
    return {position, hidden};
}

// The card with which most tricks are taken over random deals of the cards that can't be seen (in misère, fewest).
Card play(const proto::View& view, const proto::Rules& rules) {
    const int me = seat_of(view.seat());
    const auto [known, hidden] = seen(view, rules);
    auto dice = dice_of(view);
    std::array<int, 52> tricks{};
    for (int n = 0; n < DEALS_TO_PLAY; n++) {
        Position dealt = known;
        dealt.hands = hidden.deal(dice);
        dealt.hands[me] = view.hand();
        each(view.legal_cards(), [&](Card card) {
            Position after = dealt;
            after.play(card);
            after.play_out();
            tricks[card] += known.misere ? -after.taken[me] : after.taken[me];
        });
    }
    Card best = NO_CARD;
    each(view.legal_cards(), [&](Card card) {
        const bool better = best == NO_CARD || tricks[card] > tricks[best];
        const bool cheaper = best != NO_CARD && tricks[card] == tricks[best] && rank_of(card) < rank_of(best);
        if (better || cheaper) best = card;
    });
    return best;
}

}  // namespace

proto::FromBot choose(const proto::View& view, const proto::Rules& rules) {
    proto::FromBot answer;
    switch (view.kind()) {
        case proto::GIVE:
            answer.set_card(give(view, rules) + 1);
            break;
        case proto::CLAIM:
            answer.set_suit(static_cast<proto::Suit>(claim(view, rules) + 1));
            break;
        case proto::GIVE_BACK:
            answer.set_card(lowest(worst(view.legal_cards(), 1, longest_suit(view.hand()), false)) + 1);
            break;
        case proto::DECLARE:
            answer.set_contract(declare(view, rules));
            break;
        case proto::DISCARD: {
            const int trump = trump_of(view.contract()), number = static_cast<int>(view.count());
            answer.set_cards(worst(view.legal_cards(), number, trump, view.contract() == proto::MISERE));
            break;
        }
        default:
            answer.set_card(play(view, rules) + 1);
    }
    return answer;
}
