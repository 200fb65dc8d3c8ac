// A round with all cards open: how many tricks each seat takes when everybody plays by one plain policy.

#pragma once

#include <array>
#include <random>

#include "cards.h"

// A position in the play of a round, all hands known. Seats are 0, 1, 2 clockwise.
struct Position {
    std::array<Cards, 3> hands{};
    std::array<int, 3> taken{};
    int trump = NO_SUIT;
    bool misere = false;   // tricks are to be avoided (R9.5)
    int turn = 0;          // who plays next
    int on_table = 0;      // cards of the trick so far
    int led = NO_SUIT;     // the suit led to it
    Card best = NO_CARD;   // the card that wins it so far, and whose it is
    int best_seat = 0;

    // The cards that the seat on turn may play (R6.2).
    Cards legal() const;
    // Whether a card beats the best on the table, if there is one (R6.3).
    bool beats(Card card) const;
    // Plays a card for the seat on turn.
    void play(Card card);
    // Plays all hands out.
    void play_out();

  private:
    Card policy() const;
    bool wins_for_sure(Card card) const;
};

// What is known of the cards that can't be seen: how many each seat holds, and what it can't hold.
struct Hidden {
    Cards cards = 0;
    std::array<int, 3> sizes{};
    std::array<Cards, 3> never{};

    // Deals them at random; what is left over lies with the discards or in the kitty.
    std::array<Cards, 3> deal(std::mt19937_64& dice) const;
};
