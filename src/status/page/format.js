const grouped = new Intl.NumberFormat("en-US");
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

export const count = (value) => (value === undefined || value === null ? "–" : grouped.format(value));
export const short = (value) => compact.format(value);

/** 0x2dc57c08…3b53 */
export function abbreviated(hex, head = 8, tail = 4) {
  return hex.length <= head + tail + 4 ? hex : `${hex.slice(0, head + 2)}…${hex.slice(-tail)}`;
}

/** @type {[number, string][]} */
const UNITS = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
];

/** Of seconds: 12 s, 3 min, 2.5 h. */
export function duration(seconds) {
  const size = Math.abs(seconds);
  for (const [unit, name] of UNITS) {
    if (size >= unit) return `${size >= 10 * unit ? Math.round(size / unit) : (size / unit).toFixed(1)} ${name}`;
  }
  return `${Math.round(size)} s`;
}

/** Time since, or until, a Unix time in seconds. */
export function age(timestamp, now = Date.now() / 1000) {
  const seconds = now - Number(timestamp);
  return seconds < -1 ? `in ${duration(seconds)}` : `${duration(Math.max(0, seconds))} ago`;
}

export function moment(seconds) {
  return new Date(Number(seconds) * 1000).toISOString().replace("T", " ").slice(0, 19);
}

/** Clock time of a Unix time in milliseconds. */
export function clock(milliseconds) {
  return new Date(milliseconds).toLocaleTimeString("en-GB");
}

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];
export function bytes(value) {
  let size = value;
  let unit = 0;
  for (; size >= 1024 && unit < BYTE_UNITS.length - 1; unit++) size /= 1024;
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

export function percent(part, whole) {
  if (whole === 0) return "–";
  const share = (100 * part) / whole;
  return `${share >= 10 || share === 0 ? Math.round(share) : share.toFixed(1)} %`;
}

/** `amount` of 18 decimals, rounded half up to `digits` decimals. */
function decimal(amount, digits) {
  const unit = 10n ** BigInt(18 - digits);
  const units = (amount + unit / 2n) / unit;
  const whole = grouped.format(units / 10n ** BigInt(digits));
  return digits === 0 ? whole : `${whole}.${(units % 10n ** BigInt(digits)).toString().padStart(digits, "0")}`;
}

/** An amount of 18 decimals, ETH or the fee asset, rounded to about five significant digits, without a unit. */
export function amount(value) {
  const given = BigInt(value);
  const part = (given % 10n ** 18n).toString().padStart(18, "0");
  if (given >= 10n ** 21n) return decimal(given, 0);
  const digits = given >= 10n ** 18n ? 4 : Math.min(18, part.search(/[1-9]|$/) + 5);
  return decimal(given, digits).replace(/\.?0+$/, "");
}

export const feeJuice = (value) => `${amount(value)} FJ`;

/** A price: in 10^-18 of the fee asset. */
export const feePrice = (value) => `${grouped.format(BigInt(value))} FJ wei`;

/** An amount of the fee asset for a column: always eight decimals. */
export const feeColumn = (value) => decimal(BigInt(value), 8);
