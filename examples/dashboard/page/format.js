// Numbers and lengths of time as people read them.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function count(number) {
  // Thin spaces, so that no language takes the mark for a decimal one.
  return whole.format(number).replaceAll(",", "\u202f");
}

export function short(number) {
  const [value, unit] = number >= 1e6 ? [number / 1e6, "M"] : number >= 1e3 ? [number / 1e3, "k"] : [number, ""];
  return digits(value) + unit;
}

const UNITS = [
  [86400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
];

export function duration(seconds) {
  if (!seconds) return "0";
  // Two of a unit and more, so that 70 minutes stay minutes.
  const fits = ([size]) => seconds >= (size > 1 ? 2 * size : size * 0.9995);
  const [size, unit] = UNITS.find(fits) ?? UNITS.at(-1);
  return `${digits(seconds / size)} ${unit}`;
}

function digits(value) {
  // Powers of ten are not quite what they should be.
  const isWhole = Math.abs(value - Math.round(value)) < 1e-9;
  const places = value >= 99.95 || isWhole ? 0 : value >= 9.995 ? 1 : 2;
  return value.toFixed(places);
}
