/** A line plot as SVG. */
export interface Series {
  name: string;
  points: { x: number; y: number; low?: number; high?: number }[];
}

export interface Axis {
  label: string;
  /** Positions and labels of the ticks, in ascending order; they span the axis. */
  ticks: { at: number; text: string }[];
  scale: "linear" | "log";
}

export interface Plot {
  title: string;
  x: Axis;
  y: Axis;
  series: Series[];
}

const WIDTH = 720;
const HEIGHT = 420;
const BOX = { left: 80, right: 700, top: 44, bottom: 352 };
const COLORS = ["#0b6e99", "#c2410c", "#4d7c0f", "#7e22ce", "#57534e"];

export const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const round = (value: number) => Math.round(value * 10) / 10;

/** Position of a value between the ends of an axis, in pixels. */
function place({ scale, ticks }: Axis, from: number, to: number): (value: number) => number {
  const f = scale === "log" ? Math.log10 : (value: number) => value;
  const first = f(ticks[0].at);
  const last = f(ticks[ticks.length - 1].at);
  return (value) => round(from + ((f(value) - first) / (last - first)) * (to - from));
}

/** Ticks at round steps from zero to at least `most`. */
export function linearTicks(most: number, unit = ""): Axis["ticks"] {
  const size = 10 ** Math.floor(Math.log10(most));
  const step = [0.2, 0.5, 1, 2].map((n) => n * size).find((s) => most / s <= 6) ?? size * 2;
  const count = Math.max(1, Math.ceil(most / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, i) => {
    const at = i * step;
    return { at, text: `${Number(at.toPrecision(6)).toLocaleString("en")}${unit}` };
  });
}

/** Ticks at the powers of ten that enclose the values. */
export function decadeTicks(values: readonly number[], text: (value: number) => string): Axis["ticks"] {
  const first = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, i) => ({ at: 10 ** (first + i), text: text(10 ** (first + i)) }));
}

export function linePlot({ title, x, y, series }: Plot): string {
  const px = place(x, BOX.left, BOX.right);
  const py = place(y, BOX.bottom, BOX.top);
  const grid = [
    ...x.ticks.map(({ at, text }) => {
      const line = `<line x1="${px(at)}" y1="${BOX.top}" x2="${px(at)}" y2="${BOX.bottom}" stroke="#ddd"/>`;
      return `${line}<text x="${px(at)}" y="${BOX.bottom + 18}" text-anchor="middle">${escaped(text)}</text>`;
    }),
    ...y.ticks.map(({ at, text }) => {
      const line = `<line x1="${BOX.left}" y1="${py(at)}" x2="${BOX.right}" y2="${py(at)}" stroke="#ddd"/>`;
      return `${line}<text x="${BOX.left - 8}" y="${py(at) + 4}" text-anchor="end">${escaped(text)}</text>`;
    }),
  ];
  const lines = series.map(({ name, points }, i) => {
    const color = COLORS[i % COLORS.length];
    const path = points.map((point) => `${px(point.x)},${py(point.y)}`).join(" ");
    const bars = points.flatMap((point) =>
      point.low === undefined || point.high === undefined
        ? []
        : [
            `<line x1="${px(point.x)}" y1="${py(point.low)}" x2="${px(point.x)}" y2="${py(point.high)}" stroke="${color}"/>`,
          ],
    );
    const dots = points.map((point) => `<circle cx="${px(point.x)}" cy="${py(point.y)}" r="3" fill="${color}"/>`);
    const at = BOX.top + 18 + i * 18;
    const legend = `<rect x="${BOX.left + 12}" y="${at - 9}" width="14" height="4" fill="${color}"/><text x="${BOX.left + 32}" y="${at - 3}">${escaped(name)}</text>`;
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>${bars.join("")}${dots.join("")}${legend}`;
  });
  const middle = (BOX.left + BOX.right) / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${middle}" y="24" text-anchor="middle" font-size="15">${escaped(title)}</text>`,
    ...grid,
    ...lines,
    `<text x="${middle}" y="${BOX.bottom + 44}" text-anchor="middle">${escaped(x.label)}</text>`,
    `<text x="18" y="${(BOX.top + BOX.bottom) / 2}" text-anchor="middle" transform="rotate(-90 18 ${(BOX.top + BOX.bottom) / 2})">${escaped(y.label)}</text>`,
    "</svg>\n",
  ].join("\n");
}
