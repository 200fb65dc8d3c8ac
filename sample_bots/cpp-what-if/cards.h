// Cards and sets of cards. A card is 0..51: 13 * suit + rank, suits spades, hearts, diamonds, clubs, ranks from the two,
// 0, to the ace, 12; the protocol's code is one more. A set of cards has bit n set for card n, as in the protocol.

#pragma once

#include <bit>
#include <cstdint>

using Card = int;
using Cards = std::uint64_t;

constexpr int NO_SUIT = -1;
constexpr Card NO_CARD = -1;

constexpr int suit_of(Card card) { return card / 13; }
constexpr int rank_of(Card card) { return card % 13; }
constexpr Cards one(Card card) { return Cards{1} << card; }
constexpr Cards suit(int suit) { return Cards{8191} << 13 * suit; }
constexpr Cards deck = (Cards{1} << 52) - 1;

// The higher cards of the same suit.
constexpr Cards above(Card card) { return suit(suit_of(card)) & ~((one(card) << 1) - 1); }

constexpr int count(Cards cards) { return std::popcount(cards); }
constexpr Card lowest(Cards cards) { return std::countr_zero(cards); }
constexpr Card highest(Cards cards) { return 63 - std::countl_zero(cards); }

// Calls a function with each card of a set, by suit, low to high.
template <typename Function>
void each(Cards cards, Function function) {
    for (; cards; cards &= cards - 1) function(lowest(cards));
}
