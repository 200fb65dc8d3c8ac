#include "playout.h"

#include <algorithm>
#include <vector>

namespace {

constexpr int TRIES = 20;

// The lowest of these cards, a trump only if all are.
Card cheapest(Cards cards, int trump) {
    if (trump != NO_SUIT && cards & ~suit(trump)) cards &= ~suit(trump);
    Card best = NO_CARD;
    each(cards, [&](Card card) {
        if (best == NO_CARD || rank_of(card) < rank_of(best)) best = card;
    });
    return best;
}

// The card that is worst to keep in misère.
Card most_dangerous(Cards cards) {
    Card worst = NO_CARD;
    each(cards, [&](Card card) {
        if (worst == NO_CARD || rank_of(card) > rank_of(worst)) worst = card;
    });
    return worst;
}

Cards follow(Cards hand, int led) {
    return led != NO_SUIT && hand & suit(led) ? hand & suit(led) : hand;
}

}  // namespace

Cards Position::legal() const { return follow(hands[turn], led); }

bool Position::beats(Card card) const {
    if (best == NO_CARD) return true;
    return suit_of(card) == suit_of(best) ? card > best : suit_of(card) == trump;
}

void Position::play(Card card) {
    if (beats(card)) {
        best = card;
        best_seat = turn;
    }
    if (led == NO_SUIT) led = suit_of(card);
    hands[turn] &= ~one(card);
    if (++on_table < 3) {
        turn = (turn + 1) % 3;
        return;
    }
    taken[best_seat]++;
    turn = best_seat;
    on_table = 0;
    led = NO_SUIT;
    best = NO_CARD;
}

void Position::play_out() {
    while (hands[0] | hands[1] | hands[2]) play(policy());
}

// Whether nobody who still plays to this trick can beat a card of the seat on turn.
bool Position::wins_for_sure(Card card) const {
    if (!beats(card)) return false;
    const int suit_led = led == NO_SUIT ? suit_of(card) : led;
    for (int later = 1; later < 3 - on_table; later++) {
        const Cards may = follow(hands[(turn + later) % 3], suit_led);
        if (may & above(card)) return false;
        if (trump != NO_SUIT && suit_of(card) != trump && may & suit(trump)) return false;
    }
    return true;
}

// A trick is taken as cheaply as it surely can be, and else costs the lowest card. In misère it is ducked as highly.
Card Position::policy() const {
    const Cards cards = legal();
    Cards winners = 0, losers = 0;
    each(cards, [&](Card card) {
        if (wins_for_sure(card)) winners |= one(card);
        if (!beats(card)) losers |= one(card);
    });
    if (misere) return losers ? most_dangerous(losers) : cheapest(cards, NO_SUIT);
    return cheapest(winners ? winners : cards, trump);
}

std::array<Cards, 3> Hidden::deal(std::mt19937_64& dice) const {
    std::vector<Card> pack;
    each(cards, [&](Card card) { pack.push_back(card); });
    std::shuffle(pack.begin(), pack.end(), dice);
    // Cards that some seat can't hold find their places first.
    const Cards restricted = never[0] | never[1] | never[2];
    std::stable_partition(pack.begin(), pack.end(), [&](Card card) { return (restricted & one(card)) != 0; });
    const int over = count(cards) - sizes[0] - sizes[1] - sizes[2];
    for (int attempt = 0;; attempt++) {
        std::array<Cards, 3> hands{};
        std::array<int, 4> room{sizes[0], sizes[1], sizes[2], over};
        bool fits = true;
        for (const Card card : pack) {
            std::array<int, 4> places = room;
            for (int seat = 0; seat < 3; seat++) {
                if (attempt < TRIES && never[seat] & one(card)) places[seat] = 0;
            }
            const int total = places[0] + places[1] + places[2] + places[3];
            if (!total) {
                fits = false;
                break;
            }
            int place = 0;
            for (int left = static_cast<int>(dice() % total); left >= places[place]; place++) left -= places[place];
            room[place]--;
            if (place < 3) hands[place] |= one(card);
        }
        if (fits) return hands;
    }
}
