// node-finesse serves threefiveeight.v1.Bot on the socket in ARENA_SOCKET until SIGTERM. How it chooses is in choices.js;
// the arena's docs/protocol.md tells what is said on the stream.

import { fileURLToPath } from "node:url";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";
import { choices } from "./choices.js";

const PROTOCOL = 1;

function describe(call, answer) {
  answer(null, { protocol: PROTOCOL, name: "node-finesse", version: "1", language: "javascript" });
}

// One match: each turn is answered once, with its sequence number; nothing else is answered.
function play(stream) {
  let rules = null;
  const events = {
    match_started(started) {
      if (started.protocol !== PROTOCOL) {
        throw { code: grpc.status.FAILED_PRECONDITION, details: "node-finesse speaks version 1 of the protocol" };
      }
      rules = started.rules;
    },
    turn: ({ sequence, view }) => stream.write({ sequence, ...choices[view.kind](view, rules) }),
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

if (!process.env.ARENA_SOCKET) {
  console.error("There is no referee here: a bot is started by the arena, as in `arena play . random random`.");
  process.exit(2);
}
const proto = await loader.load(fileURLToPath(new URL("three_five_eight.proto", import.meta.url)), {
  keepCase: true, // the names of the .proto
  longs: Number, // sets of cards have 52 bits, which a number holds exactly
  enums: String,
  defaults: true,
  oneofs: true, // message.event says which event it is
});
const { Bot } = grpc.loadPackageDefinition(proto).threefiveeight.v1;
const server = new grpc.Server();
server.addService(Bot.service, { Describe: describe, Play: play });
server.bindAsync(`unix:${process.env.ARENA_SOCKET}`, grpc.ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
});
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => server.forceShutdown());
