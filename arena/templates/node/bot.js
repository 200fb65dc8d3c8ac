// my-bot, a bot for 3-5-8. Its choices are the six functions in `choices`: change them one by one, and see what it is
// worth. A view is all that its seat may know; three_five_eight.proto says what each field holds.

import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

const NAME = "my-bot";
const PROTOCOL = 1;

// Cards. A code is 1..52: 13 * suit + rank + 1, suits 0 spades, 1 hearts, 2 diamonds, 3 clubs, ranks 0 the two … 12 the
// ace. A set of cards is a number in which bit n stands for code n + 1; bit operations on 52 bits need a BigInt.

export const suitOf = (card) => Math.floor((card - 1) / 13);
export const rankOf = (card) => (card - 1) % 13;

export function cardsIn(set) {
  const cards = [];
  for (let bits = BigInt(set), card = 1; bits; bits >>= 1n, card++) if (bits & 1n) cards.push(card);
  return cards;
}

export const setOf = (cards) => Number(cards.reduce((bits, card) => bits | (1n << BigInt(card - 1)), 0n));

// The suit that is trump, -1 if there is none.
export const trumpOf = (contract) =>
  ["TRUMP_SPADES", "TRUMP_HEARTS", "TRUMP_DIAMONDS", "TRUMP_CLUBS"].indexOf(contract);

// Whether the last of these cards wins the trick so far: the highest trump does, else the highest of the suit led (R6.3).
export function wins(cards, trump) {
  const worth = (card) =>
    suitOf(card) === trump ? 100 + rankOf(card) : suitOf(card) === suitOf(cards[0]) ? rankOf(card) : -1;
  return cards.every((card) => worth(card) <= worth(cards.at(-1)));
}

const lowest = (cards) => cards.reduce((best, card) => (rankOf(card) < rankOf(best) ? card : best));
const highest = (cards) => cards.reduce((best, card) => (rankOf(card) > rankOf(best) ? card : best));

// What the bot chooses, by what it is asked for: the field of the answer, and its value.
export const choices = {
  // Up in the last round: a card for view.partner, whose highest of that suit, if higher, comes back (R5.1).
  GIVE: (view) => ({ card: lowest(cardsIn(view.legal_cards)) }),

  // The same where suits are claimed: view.partner hands over his highest of it (R5.2).
  CLAIM: (view) => ({ suit: view.legal_suits[0] }),

  // The card that goes back for view.claimed.
  GIVE_BACK: (view) => ({ card: lowest(cardsIn(view.legal_cards)) }),

  // As dealer: the contract. Here the longest suit.
  DECLARE: (view) => {
    const hand = cardsIn(view.hand);
    const length = (contract) => hand.filter((card) => suitOf(card) === trumpOf(contract)).length;
    return { contract: view.legal_contracts.reduce((best, other) => (length(other) > length(best) ? other : best)) };
  },

  // As dealer: view.count cards to put aside. Here low ones, trumps last.
  DISCARD: (view) => {
    const worth = (card) => rankOf(card) + (suitOf(card) === trumpOf(view.contract) ? 100 : 0);
    const cards = cardsIn(view.legal_cards).sort((one, other) => worth(one) - worth(other));
    return { cards: setOf(cards.slice(0, view.count)) };
  },

  // A card to the trick. Here the cheapest that wins so far, else the lowest: every trick counts (R7.1), in misère
  // against you (R9.5).
  PLAY: (view) => {
    const trump = trumpOf(view.contract);
    const worth = (card) => rankOf(card) + (suitOf(card) === trump ? 100 : 0);
    const legal = cardsIn(view.legal_cards).sort((one, other) => worth(one) - worth(other));
    const table = [...view.played.subarray(view.played.length - (view.played.length % 3))];
    const winners = legal.filter((card) => wins([...table, card], trump));
    if (view.contract === "MISERE") return { card: legal.findLast((card) => !winners.includes(card)) ?? legal[0] };
    return { card: table.length === 0 ? highest(legal) : (winners[0] ?? legal[0]) };
  },
};

// Serving: one stream a match. Each turn is answered once, with its sequence number; nothing else is answered.

function play(stream) {
  const events = {
    match_started(started) {
      if (started.protocol !== PROTOCOL) {
        throw { code: grpc.status.FAILED_PRECONDITION, details: `${NAME} speaks version ${PROTOCOL} of the protocol` };
      }
      // started.rules are those of the whole match, started.seat is yours.
    },
    turn: ({ sequence, view }) => stream.write({ sequence, ...choices[view.kind](view) }),
  };
  stream.on("data", (message) => {
    try {
      events[message.event]?.(message[message.event]);
    } catch (error) {
      console.error(error); // it ends in `arena logs`; the next turn comes on a new stream
      stream.emit("error", error.code ? error : { code: grpc.status.INTERNAL, details: String(error) });
    }
  });
  stream.on("end", () => stream.end());
}

function describe(call, answer) {
  answer(null, { protocol: PROTOCOL, name: NAME, version: "1", language: "javascript" });
}

// Listens on an address of gRPC's, and gives the server.
export async function serve(address) {
  const file = fileURLToPath(new URL("three_five_eight.proto", import.meta.url));
  const options = { keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true };
  const { threefiveeight } = grpc.loadPackageDefinition(await loader.load(file, options));
  const server = new grpc.Server();
  server.addService(threefiveeight.v1.Bot.service, { Describe: describe, Play: play });
  const credentials = grpc.ServerCredentials.createInsecure();
  await new Promise((resolve, reject) =>
    server.bindAsync(address, credentials, (error) => (error ? reject(error) : resolve())),
  );
  return server;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  if (!process.env.ARENA_SOCKET) {
    console.error("There is no referee here: a bot is started by the arena, as in `arena play . random random`.");
    process.exit(2);
  }
  const server = await serve(`unix:${process.env.ARENA_SOCKET}`);
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => server.forceShutdown());
}
