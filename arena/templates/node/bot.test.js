// Tests of my-bot: `npm install` once, then `node --test`.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";
import { cardsIn, choices, rankOf, serve, setOf, suitOf, wins } from "./bot.js";

const RANKS = "23456789TJQKA";
const SUITS = "SHDC";
const card = (text) => 13 * SUITS.indexOf(text[1]) + RANKS.indexOf(text[0]) + 1;
const cards = (text) => text.split(" ").map(card);
const rules = { set: "ten-points", targets: [8, 5, 3], contracts: [1, 2, 3, 4] };

// A view of the dealer, who holds these cards and may choose any of them.
const view = (kind, hand, more = {}) => {
  const set = setOf(cards(hand));
  return {
    kind, seat: 1, round: 0, dealer: 1, hand: set, legal_cards: set, legal_suits: [], legal_contracts: [], count: 1,
    contract: "CONTRACT_MISSING", played: Buffer.of(), leaders: Buffer.of(), taken: [0, 0, 0], ...more,
  };
};

test("codes and sets of cards", () => {
  assert.equal(card("AC"), 52);
  assert.deepEqual([suitOf(card("TD")), rankOf(card("TD"))], [2, 8]);
  assert.deepEqual(cardsIn(setOf(cards("2S AH AC"))), cards("2S AH AC"));
});

test("who wins a trick", () => {
  assert.ok(wins(cards("7H AH"), -1));
  assert.ok(!wins(cards("7H AS"), -1));
  assert.ok(wins(cards("7H AH 2S"), 0));
  assert.ok(!wins(cards("7H 3S 2S"), 0));
});

test("the longest suit becomes trump", () => {
  const legal_contracts = ["TRUMP_SPADES", "TRUMP_HEARTS", "NO_TRUMP"];
  assert.deepEqual(choices.DECLARE(view("DECLARE", "AS KS 2H 3H 4H", { legal_contracts })), { contract: "TRUMP_HEARTS" });
});

test("it wins as cheaply as it can, and in misère it loses as dearly as it can", () => {
  const asked = { legal_cards: setOf(cards("TH QH AH 2H")), played: Buffer.from(cards("JH")), contract: "TRUMP_SPADES" };
  assert.deepEqual(choices.PLAY(view("PLAY", "TH QH AH 2H", asked)), { card: card("QH") });
  assert.deepEqual(choices.PLAY(view("PLAY", "TH QH AH 2H", { ...asked, contract: "MISERE" })), { card: card("TH") });
});

// The bot as the referee meets it: served, and asked over gRPC.

let folder, server, client;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "my-bot-"));
  const address = `unix:${join(folder, "bot.sock")}`;
  server = await serve(address);
  const file = fileURLToPath(new URL("three_five_eight.proto", import.meta.url));
  const definition = await loader.load(file, { keepCase: true, longs: Number, enums: String, defaults: true });
  const { Bot } = grpc.loadPackageDefinition(definition).threefiveeight.v1;
  client = new Bot(address, grpc.credentials.createInsecure());
});

after(() => {
  client.close();
  server.forceShutdown();
  rmSync(folder, { recursive: true });
});

test("it says who it is", async () => {
  const description = await new Promise((resolve, reject) =>
    client.Describe({}, (error, answer) => (error ? reject(error) : resolve(answer))),
  );
  assert.equal(description.protocol, 1);
});

test("it answers each kind of turn once, with the sequence number and a legal choice", async () => {
  const hand = "2S 9S KS 3H TH 4D JD 5C QC";
  const turns = [
    view("GIVE", hand, { partner: 2 }),
    view("CLAIM", hand, { partner: 2, legal_suits: ["SPADES", "HEARTS", "DIAMONDS", "CLUBS"] }),
    view("GIVE_BACK", hand, { partner: 2, claimed: card("2S") }),
    view("DECLARE", hand, { legal_contracts: ["TRUMP_HEARTS", "MISERE"] }),
    view("DISCARD", hand, { count: 4, contract: "TRUMP_HEARTS" }),
    view("PLAY", hand, { contract: "TRUMP_HEARTS", leaders: Buffer.of(1) }),
  ];
  const stream = client.Play();
  const answers = [];
  stream.on("data", (answer) => answers.push(answer));
  stream.write({ match_started: { protocol: 1, rules, seat: 1 } });
  turns.forEach((view, index) => stream.write({ turn: { sequence: index + 1, view } }));
  stream.write({ match_over: { placing: [1, 2, 3], totals: [10, 0, -10], end: "points" } });
  stream.end();
  await new Promise((resolve, reject) => stream.on("end", resolve).on("error", reject));
  assert.deepEqual(answers.map((answer) => answer.sequence), [1, 2, 3, 4, 5, 6]);
  const legal = cards(hand);
  assert.ok(legal.includes(answers[0].card));
  assert.ok(SUITS.includes(answers[1].suit[0]));
  assert.ok(legal.includes(answers[2].card));
  assert.ok(["TRUMP_HEARTS", "MISERE"].includes(answers[3].contract));
  assert.equal(cardsIn(answers[4].cards).filter((one) => legal.includes(one)).length, 4);
  assert.ok(legal.includes(answers[5].card));
});
