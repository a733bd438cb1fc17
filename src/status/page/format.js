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

/** An amount of the fee asset, of 18 decimals, with six significant digits. */
export function feeJuice(value) {
  const amount = BigInt(value);
  if (amount === 0n) return "0";
  const [whole, part] = [amount / 10n ** 18n, (amount % 10n ** 18n).toString().padStart(18, "0")];
  if (whole >= 1000n) return grouped.format(whole);
  const zeros = part.search(/[1-9]|$/);
  const digits = whole > 0n ? 4 : Math.min(18, zeros + 5);
  return `${whole}.${part.slice(0, digits)}`.replace(/\.?0+$/, "");
}

/** An amount of the fee asset for a column: always eight decimals. */
export function feeColumn(value) {
  const units = (BigInt(value) + 5n * 10n ** 9n) / 10n ** 10n;
  return `${grouped.format(units / 10n ** 8n)}.${(units % 10n ** 8n).toString().padStart(8, "0")}`;
}
