// Puts what the program tells where it is seen.

import { enable, listen, say } from "./buttons.js";
import { Chart } from "./chart.js";
import { count, duration, short } from "./format.js";
import { LEVELS, Rings, place } from "./rings.js";

const MINUTE = 60;
const [STILL, STALLED] = [1000, 300]; // milliseconds
const $ = (id) => document.getElementById(id);
const still = matchMedia("(prefers-reduced-motion: reduce)");

const rings = new Rings($("slots"), $("hands"));
const lateness = new Chart($("lateness"), {
  lines: [
    { label: "p50", colour: "one", of: (second) => second.lateness?.p50 },
    { label: "p99", colour: "two", dash: [6, 3], of: (second) => second.lateness?.p99 },
    { label: "max", colour: "three", dash: [2, 3], of: (second) => second.lateness?.max },
  ],
  format: duration,
  low: -5,
  high: 0,
});
const rates = new Chart($("rates"), {
  lines: [
    { label: "fired", colour: "one", of: (second) => second.fired },
    { label: "armed", colour: "two", dash: [6, 3], of: (second) => second.armed },
    { label: "cancelled", colour: "three", dash: [2, 3], of: (second) => second.cancelled },
  ],
  format: count,
  axis: short,
  low: 1,
  high: 5,
});

let tick; // in seconds
let frame;
let arrived; // when the frame did, by the page's clock
let seconds = [];
let isOver = false;
let drawn = 0; // when the rings were

function showState(text, kind) {
  $("state").textContent = text;
  $("state").className = `state ${kind}`;
}

function showHello(hello) {
  ({ tick, seconds } = hello);
  $("levels").replaceChildren(...LEVELS.map(row), row(null));
  if (seconds.length) showSecond(seconds.at(-1), hello.metrics);
  showState("live", "live");
  enable(true);
  if (hello.verdict) showVerdict(hello.verdict);
}

// One of the table; without a level that of what is beyond the rings
function row(level, number) {
  const row = document.createElement("tr");
  const size = level && tick * 2 ** level.shift;
  const cells = level
    ? [number, level.slots, duration(size), duration(size * level.slots), "–", "–"]
    : ["beyond", "", "", "", "", "–"];
  row.append(...cells.map((text, i) => {
    const cell = document.createElement(i ? "td" : "th");
    cell.textContent = text;
    return cell;
  }));
  row.firstChild.scope = "row";
  return row;
}

function showFrame(latest) {
  [frame, arrived] = [latest, performance.now()];
  $("pending").textContent = $("centre").textContent = count(frame.pending);
  $("wake").textContent = wake(frame.wake);
  const totals = frame.levels.map((slots) => slots.reduce((sum, timers) => sum + timers, 0));
  const rows = [...$("levels").rows];
  LEVELS.forEach((level, number) => {
    rows[number].cells[4].textContent = Math.floor(place(level, frame.now));
    rows[number].cells[5].textContent = count(totals[number]);
  });
  rows.at(-1).cells[5].textContent = count(frame.overflow);
  // Who prefers little motion is shown a picture a second.
  if (still.matches && !isOver && arrived - drawn < STILL) return;
  drawn = arrived;
  rings.show(frame);
  rings.turnTo(frame.now);
}

function wake(ticks) {
  return ticks === null ? "never" : ticks ? duration(ticks * tick) : "now";
}

function showSecond(second, metrics) {
  for (const rate of ["armed", "fired", "cancelled"]) $(rate).textContent = count(second[rate]);
  document.querySelector("#metrics pre").textContent = metrics;
  lateness.show(seconds);
  rates.show(seconds);
  const totals = [...$("levels").rows].map((row) => row.cells[5].textContent);
  $("slots").ariaLabel
    = `The five rings of the wheel hold, from the near one: ${totals.slice(0, 5).join(", ")} timers`;
}

function showVerdict({ sleeps, callbacks, first, last }) {
  isOver = true;
  enable(false);
  showState("shut down", "over");
  const due = callbacks ? `, due in ${duration(first)} to ${duration(last)}` : "";
  say(`Shut down. Not fired were ${count(sleeps)} sleeps and ${count(callbacks)} callbacks${due}. `
    + "Start the program again for another run.", true);
}

// The hands go on between two frames, as time does; they stand still when the program does.
function turn() {
  if (frame && !still.matches && !isOver) {
    const since = Math.min(performance.now() - arrived, STALLED);
    rings.turnTo(frame.now + since / 1000 / tick);
  }
  requestAnimationFrame(turn);
}

function hear() {
  const events = new EventSource("/events");
  const on = (name, then) => events.addEventListener(name, ({ data }) => then(JSON.parse(data)));
  on("hello", showHello);
  on("frame", showFrame);
  on("second", ({ second, metrics }) => {
    seconds = [...seconds, second].slice(-MINUTE);
    showSecond(second, metrics);
  });
  on("verdict", showVerdict);
  on("end", () => {
    events.close();
    isOver = true;
    enable(false);
    showState("ended", "over");
  });
  events.onerror = () => {
    showState("no connection", "over");
    enable(false);
  };
}

listen();
hear();
turn();
