// Lines over the last minute, on a scale of decades.

import { Surface } from "./surface.js";

const MINUTE = 60;
const LEFT = 46;
const [TOP, RIGHT, BOTTOM] = [6, 8, 18];

export class Chart {
  // lines: [{ label, colour, dash, of: second => number or undefined }]
  constructor(card, { lines, format, axis = format, low, high }) {
    Object.assign(this, { card, lines, format, axis, low, high, seconds: [] });
    this.values = legend(card.querySelector(".legend"), lines);
    this.canvas = card.querySelector("canvas");
    this.surface = new Surface(this.canvas, (...surface) => this.draw(...surface));
  }

  show(seconds) {
    this.seconds = seconds;
    const latest = this.lines.map(({ of }) => (seconds.length ? of(seconds.at(-1)) : undefined));
    latest.forEach((value, i) => {
      this.values[i].value = value ?? "";
      this.values[i].textContent = value === undefined ? "–" : this.format(value);
    });
    this.surface.redraw();
  }

  draw(context, width, height, colour) {
    const values = this.seconds.flatMap((second) => this.lines.map(({ of }) => of(second) ?? 0));
    const top = Math.max(Math.ceil(Math.log10(Math.max(...values, 1e-9))), this.high);
    const [right, bottom] = [width - RIGHT, height - BOTTOM];
    const end = this.seconds.at(-1)?.at ?? 0;
    const x = (at) => right - ((end - at) / (MINUTE - 1)) * (right - LEFT);
    const y = (value) => {
      const decade = Math.min(Math.max(Math.log10(value), this.low), top);
      return bottom - ((decade - this.low) / (top - this.low)) * (bottom - TOP);
    };
    this.drawGrid(context, { x, y, top, end, right, bottom, colour });
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, width - LEFT, height);
    context.clip();
    for (const line of this.lines) this.drawLine(context, line, x, y, colour);
    context.restore();
  }

  drawGrid(context, { x, y, top, end, right, bottom, colour }) {
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = colour("soft");
    context.strokeStyle = colour("line");
    context.lineWidth = 1;
    context.textBaseline = "middle";
    context.textAlign = "right";
    const every = (bottom - TOP) / (top - this.low) < 15 ? 2 : 1;
    for (let decade = this.low; decade <= top; decade += every) {
      const at = Math.round(y(10 ** decade)) + 0.5;
      context.beginPath();
      context.moveTo(LEFT, at);
      context.lineTo(right, at);
      context.stroke();
      context.fillText(this.axis(10 ** decade), LEFT - 6, at);
    }
    context.textBaseline = "alphabetic";
    context.textAlign = "center";
    const step = right - LEFT < 400 ? 20 : 10;
    for (let ago = step; ago < MINUTE; ago += step) context.fillText(`−${ago} s`, x(end - ago), bottom + 14);
    context.textAlign = "right";
    context.fillText("now", right, bottom + 14);
  }

  drawLine(context, { of, colour: name, dash }, x, y, colour) {
    context.strokeStyle = context.fillStyle = colour(name);
    context.lineWidth = 2;
    context.lineJoin = "round";
    context.setLineDash(dash ?? []);
    context.beginPath();
    let last;
    for (const second of this.seconds) {
      const value = of(second);
      if (value !== undefined) {
        last = [x(second.at), y(value)];
        context.lineTo(...last);
      }
    }
    context.stroke();
    context.setLineDash([]);
    if (!last) return;
    context.beginPath();
    context.arc(...last, 3, 0, 2 * Math.PI);
    context.fill();
  }
}

// The latest value of each line, and how the line is drawn
function legend(list, lines) {
  return lines.map(({ label, colour, dash }) => {
    const entry = document.createElement("div");
    entry.innerHTML = `
      <svg viewBox="0 0 22 8" aria-hidden="true" style="stroke: var(--${colour})">
        <path d="M0 4H22" stroke-dasharray="${dash ?? ""}"/>
      </svg><dt>${label}</dt><dd><data data-line="${label}">–</data></dd>`;
    list.append(entry);
    return entry.querySelector("data");
  });
}
