// The five rings, as a clock with five hands.

import { Surface } from "./surface.js";

// Ticks in a slot as a power of two, and slots; the near ring is the outermost.
export const LEVELS = [
  { shift: 0, slots: 256 },
  { shift: 8, slots: 64 },
  { shift: 14, slots: 64 },
  { shift: 20, slots: 64 },
  { shift: 26, slots: 64 },
];

const HOT = 4; // decades: 10 000 timers in a slot are the hottest
const HOLE = 0.27; // of the radius
const OPENING = 15; // pixels at twelve o'clock, for the levels' numbers

// Where `tick` is on a level, in slots; a division, since ticks have more than 32 bits.
export function place({ shift, slots }, tick) {
  return (tick / 2 ** shift) % slots;
}

export class Rings {
  constructor(slots, hands) {
    this.frame = null;
    this.now = 0;
    this.slots = new Surface(slots, (...surface) => this.drawSlots(...surface));
    this.hands = new Surface(hands, (...surface) => this.drawHands(...surface));
  }

  show(frame) {
    this.frame = frame;
    this.slots.redraw();
  }

  turnTo(tick) {
    this.now = tick;
    this.hands.redraw();
  }

  drawSlots(context, width, height, colour) {
    if (!this.frame) return;
    const heat = Array.from({ length: HOT + 1 }, (_, decade) => colour(`heat-${decade}`));
    context.font = "600 11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    LEVELS.forEach((level, number) => {
      const ring = ringOf(number, width, height);
      const now = Math.floor(place(level, this.frame.now));
      this.frame.levels[number].forEach((timers, slot) => {
        const empty = colour(slot < now ? "past" : "empty");
        context.fillStyle = timers ? mix(heat, Math.log10(timers)) : empty;
        wedge(context, ring, level, slot);
        context.fill();
      });
      context.fillStyle = colour("soft");
      context.fillText(number, ring.x, ring.y - (ring.inner + ring.outer) / 2);
    });
  }

  drawHands(context, width, height, colour) {
    if (!this.frame) return;
    context.strokeStyle = colour("now");
    context.lineJoin = "round";
    LEVELS.forEach((level, number) => {
      const ring = ringOf(number, width, height);
      trail(context, ring, level, place(level, this.now), colour("now"));
      context.lineWidth = 2;
      const { inner, outer } = ring;
      wedge(context, { ...ring, inner: inner - 2, outer: outer + 2 }, level, Math.floor(place(level, this.now)), 3);
      context.stroke();
    });
  }
}

export function ringOf(number, width, height) {
  const radius = Math.min(width, height) / 2 - 4;
  const step = (radius * (1 - HOLE)) / LEVELS.length;
  const outer = radius - number * step;
  return { x: width / 2, y: height / 2, outer, inner: outer - step + Math.max(4, radius / 40) };
}

// Clockwise from the opening at twelve o'clock, which is as wide on each ring.
function angles({ inner, outer }, { slots }, slot) {
  const opening = OPENING / ((inner + outer) / 2);
  const each = (2 * Math.PI - opening) / slots;
  const from = -Math.PI / 2 + opening / 2 + slot * each;
  return [from, from + each];
}

function wedge(context, ring, level, slot, least = 0) {
  const middle = (ring.inner + ring.outer) / 2;
  const [from, to] = angles(ring, level, slot);
  // A line of air between two slots; a hand is never thinner than can be seen.
  const thin = Math.min(0, (to - from - least / middle) / 2);
  const gap = thin || Math.min((to - from) * 0.12, 0.6 / middle);
  context.beginPath();
  context.arc(ring.x, ring.y, ring.outer, from + gap, to - gap);
  context.arc(ring.x, ring.y, ring.inner, to - gap, from + gap, true);
  context.closePath();
}

// What the hand has just passed glows for a while.
function trail(context, ring, level, at, colour) {
  const [to] = angles(ring, level, at);
  const [start] = angles(ring, level, 0);
  const length = Math.min(to - start, 0.7);
  if (length <= 0) return;
  const glow = context.createConicGradient(to - length, ring.x, ring.y);
  glow.addColorStop(0, "transparent");
  glow.addColorStop(length / (2 * Math.PI), colour);
  glow.addColorStop(Math.min(1, length / (2 * Math.PI) + 1e-4), "transparent");
  context.globalAlpha = 0.28;
  context.fillStyle = glow;
  context.beginPath();
  context.arc(ring.x, ring.y, ring.outer, to - length, to);
  context.arc(ring.x, ring.y, ring.inner, to, to - length, true);
  context.fill();
  context.globalAlpha = 1;
}

// Between the colours of two decades.
function mix(heat, decade) {
  const low = Math.min(Math.floor(decade), HOT);
  const high = Math.min(low + 1, HOT);
  const [one, other] = [heat[low], heat[high]].map(channels);
  const part = Math.min(decade - low, 1);
  return `rgb(${one.map((value, i) => Math.round(value + (other[i] - value) * part))})`;
}

function channels(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}
