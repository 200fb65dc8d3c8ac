// The replay viewer: chooses a match, steps and plays through it, and keeps a link to where it is.

const find = (id) => document.getElementById(id);
const viewer = find("viewer");
const records = new Map([...document.querySelectorAll("script.replay")].map((data) => [data.dataset.match, data]));
const now = { match: null, steps: [], step: 0, sight: null, playing: 0, linking: 0 };

// Showing a step

function show() {
  const step = now.steps[now.step];
  const words = new Words(now.match, now.sight);
  for (const seat of [0, 1, 2]) find(`place${placeOf(seat)}`).replaceChildren(...handOf(words, step, seat));
  find("middle").replaceChildren(...middleOf(step, now.sight, (seat) => words.name(seat), placeOf), ...resultOf(words, step));
  find("said").replaceChildren(...words.of(step));
  find("fault").replaceChildren(...step.faults.map((fault) => words.fault(fault)));
  find("fault").hidden = step.faults.length === 0;
  find("round").replaceChildren(...words.round(step));
  find("tricks").replaceChildren(...step.tricks.map((trick) => words.trick(trick)));
  const turn = step.decision === null ? "" : `decision ${step.decision} · `;
  find("count").textContent = `${turn}step ${now.step + 1} of ${now.steps.length}`;
  find("step").value = now.step;
  find("step").setAttribute("aria-valuetext", `step ${now.step + 1}, round ${step.round + 1}`);
  find("sheet").querySelectorAll("tbody tr").forEach((row, round) => row.classList.toggle("current", round === step.round));
  find(now.sight === null ? "sight-all" : `sight-${now.sight}`).checked = true;
  find("link").setAttribute("href", linkOf());
}

/** Where a seat is drawn: 0 at the bottom, 1 to its left (clockwise), 2 to its right. */
function placeOf(seat) {
  return (seat - (now.sight ?? 0) + 3) % 3;
}

function handOf(words, step, seat) {
  const turn = step.seat === seat && !["deal", "score", "end"].includes(step.kind);
  const fault = step.faults.some((one) => one.seat === seat) ? "fault" : "";
  const mark = step.out[seat] ? "struck out" : fault;
  const tricks = element("span", "tricks", element("b", "", String(step.taken[seat])), ` of ${step.targets[seat]}`);
  tricks.title = "Tricks taken, and the target";
  const total = element("span", "total", signed(step.totals[seat]));
  total.title = "Total";
  const plate = element(
    "p",
    turn ? "plate turn" : "plate",
    element("span", "name", words.name(seat)),
    element("span", "role", POSITIONS[(seat - step.dealer + 3) % 3]),
    mark && element("span", "tag", mark),
    tricks,
    total,
  );
  return [plate, fan(step.hands[seat], seesHand(now.sight, seat), step.fresh)];
}

function resultOf(words, step) {
  if (step.kind !== "score" && step.kind !== "end") return [];
  const over = step.kind === "end";
  const order = over ? [1, 2, 3].map((place) => now.match.placing.indexOf(place)) : [0, 1, 2];
  const points = over ? step.totals : step.score;
  const rows = order.map((seat) => element("tr", "", element("td", "", words.name(seat)), element("td", "", signed(points[seat]))));
  return [element("p", "small", over ? "The match" : "This round"), element("table", "result", element("tbody", "", ...rows))];
}

// What stands for a whole match

/** The rounds of the match, each a way to its beginning: points and totals by seat. */
function scoreSheet() {
  const words = new Words(now.match, null);
  const head = ["Round", "Dealer", "Contract"].map((text) => element("th", "", text));
  const names = [0, 1, 2].map((seat) => Object.assign(element("th", "number", words.name(seat)), { colSpan: 2 }));
  const rows = now.match.rounds.map((round, number) => {
    const way = Object.assign(element("button", "", String(number + 1)), { type: "button" });
    way.addEventListener("click", () => go(startOf(number)));
    const points = round.score.flatMap((score, seat) => [
      element("td", "number", signed(score)),
      element("td", "number total", signed(round.totals[seat])),
    ]);
    const faulty = now.match.faults.some((fault) => (fault.round ?? 0) === number);
    const cells = [element("td", "", way), element("td", "", words.name(round.dealer)), element("td", "", contractName(round.contract))];
    return element("tr", faulty ? "faulty" : "", ...cells, ...points);
  });
  find("sheet").replaceChildren(element("thead", "", element("tr", "", ...head, ...names)), element("tbody", "", ...rows));
}

/** Marks under the slider: a line where a round begins, a red one at each fault. */
function timeline() {
  const mark = (step, kind) => {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", `M${((1000 * step) / (now.steps.length - 1)).toFixed(1)} 0V10`);
    path.setAttribute("class", kind);
    return path;
  };
  const rounds = now.match.rounds.map((_, number) => mark(startOf(number), "begin"));
  const faults = now.steps.flatMap((step, number) => (step.faults.length ? [mark(number, "fault")] : []));
  find("marks").replaceChildren(...rounds, ...faults);
  find("step").max = now.steps.length - 1;
  find("next-fault").hidden = faults.length === 0;
}

function sights() {
  const words = new Words(now.match, null);
  const choices = [null, 0, 1, 2].map((seat) => {
    const id = seat === null ? "sight-all" : `sight-${seat}`;
    const choice = Object.assign(element("input", ""), { type: "radio", name: "sight", id });
    choice.addEventListener("change", () => look(seat));
    return element("label", "", choice, seat === null ? "all" : words.name(seat));
  });
  find("sight").replaceChildren(find("sight").firstElementChild, ...choices);
}

// Going about

function startOf(round) {
  return now.steps.findIndex((step) => step.round === round);
}

function go(step) {
  now.step = Math.min(Math.max(step, 0), now.steps.length - 1);
  if (now.step === now.steps.length - 1) pause();
  show();
  remember();
}

function goRound(by) {
  const round = now.steps[now.step].round;
  if (by > 0) go(round === now.match.rounds.length - 1 ? now.steps.length - 1 : startOf(round + 1));
  else go(now.step > startOf(round) ? startOf(round) : startOf(Math.max(round - 1, 0)));
}

/** To the end of a trick, or whatever else comes first in that direction. */
function goTrick(by) {
  let step = now.step + by;
  while (now.steps[step]?.kind === "play" && now.steps[step].trick.winner === null) step += by;
  go(step);
}

/** To the next fault; from the last one to the first. */
function goFault() {
  const faulty = [...now.steps.keys()].filter((number) => now.steps[number].faults.length);
  if (faulty.length) go(faulty.find((number) => number > now.step) ?? faulty[0]);
}

function look(sight) {
  now.sight = sight;
  show();
  remember();
}

function playOrPause() {
  if (now.playing) {
    pause();
    return;
  }
  if (now.step === now.steps.length - 1) go(0);
  now.playing = setInterval(() => go(now.step + 1), Number(find("speed").value));
  label("Pause");
}

function pause() {
  clearInterval(now.playing);
  now.playing = 0;
  label("Play");
}

function label(next) {
  find("play").classList.toggle("playing", next === "Pause");
  find("play").setAttribute("aria-label", next);
  find("play").lastElementChild.textContent = next;
}

// Links: #match=demo/7/3&step=12&seat=0, or &decision=17 to a turn of the match as records count them

function linkOf() {
  return `#match=${now.match.match}&step=${now.step + 1}${now.sight === null ? "" : `&seat=${now.sight}`}`;
}

/** Puts the link into the address, though not with each of many quick steps: browsers refuse that. */
function remember() {
  clearTimeout(now.linking);
  now.linking = setTimeout(() => history.replaceState(null, "", linkOf()), 300);
}

function open(name) {
  pause();
  now.match = JSON.parse(records.get(name).textContent);
  now.steps = stepsOf(now.match);
  now.step = 0;
  now.sight = null;
  find("match").value = name;
  scoreSheet();
  timeline();
  sights();
}

/** Follows the link in the address; false if it leads to no match of this page. */
function follow() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const name = asked.get("match");
  find("missing").hidden = name === null || records.has(name);
  find("missing").textContent = `${name} is not among the matches of this page.`;
  if (!records.has(name)) return false;
  clearTimeout(now.linking);
  if (now.match?.match !== name) open(name);
  pause();
  const decision = Number(asked.get("decision"));
  const step = asked.has("decision") ? now.steps.findIndex((one) => one.decision === decision) : asked.get("step") - 1;
  now.step = Math.min(Math.max(Math.trunc(step) || 0, 0), now.steps.length - 1);
  now.sight = ["0", "1", "2"].includes(asked.get("seat")) ? Number(asked.get("seat")) : null;
  show();
  viewer.scrollIntoView({ block: "start" });
  viewer.focus({ preventScroll: true });
  return true;
}

// Hands on

const KEYS = {
  ArrowRight: () => go(now.step + 1),
  ArrowLeft: () => go(now.step - 1),
  ArrowDown: () => goTrick(1),
  ArrowUp: () => goTrick(-1),
  PageDown: () => goRound(1),
  PageUp: () => goRound(-1),
  Home: () => go(0),
  End: () => go(now.steps.length - 1),
  " ": playOrPause,
  f: goFault,
  a: () => look(null),
  0: () => look(0),
  1: () => look(1),
  2: () => look(2),
};

const BUTTONS = {
  first: KEYS.Home,
  "round-back": KEYS.PageUp,
  back: KEYS.ArrowLeft,
  play: playOrPause,
  on: KEYS.ArrowRight,
  "round-on": KEYS.PageDown,
  last: KEYS.End,
  "next-fault": goFault,
};

/** A key is ours unless it means something to the control that it was pressed on. */
function pressed(event) {
  const theirs = event.target.matches("select, input") || (event.key === " " && event.target.matches("button, a"));
  if (!Object.hasOwn(KEYS, event.key) || theirs || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  KEYS[event.key]();
}

function start() {
  viewer.hidden = false;
  viewer.addEventListener("keydown", pressed);
  for (const [id, act] of Object.entries(BUTTONS)) find(id).addEventListener("click", act);
  find("step").addEventListener("input", (event) => go(Number(event.target.value)));
  find("match").addEventListener("change", (event) => {
    open(event.target.value);
    go(0);
  });
  find("speed").addEventListener("change", () => {
    if (!now.playing) return;
    pause();
    playOrPause();
  });
  addEventListener("hashchange", follow);
  if (follow()) return;
  open(find("match").value);
  show();
}

if (viewer) start();
