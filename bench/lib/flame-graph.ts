import type { Frame } from "./cpu-profile.ts";
import { escaped } from "./line-plot.ts";

const WIDTH = 1200;
const ROW = 17;
const TOP = 36;
/** Narrower frames are not drawn. */
const MIN_WIDTH = 0.4;
const LETTER = 6.2;

/** Colors distinguish code of the core, of the runtime and of this project. */
function color(name: string): string {
  if (name.endsWith("[wasm]")) return "#7dd3a8";
  if (name.startsWith("(")) return "#c7c7c7";
  return /\.(ts|js|mjs|cjs):\d+$/.test(name) ? "#f4b183" : "#a9c4e6";
}

/** A flame graph as SVG: callers are above their callees, width is time. */
export function flameGraph(title: string, root: Frame): string {
  const boxes: string[] = [];
  let depth = 0;
  const draw = (frame: Frame, x: number, row: number): void => {
    const width = (frame.totalUs / root.totalUs) * WIDTH;
    if (width < MIN_WIDTH) return;
    depth = Math.max(depth, row);
    const y = TOP + row * ROW;
    const letters = Math.floor((width - 6) / LETTER);
    const label =
      letters < 3 ? "" : escaped(frame.name.length > letters ? `${frame.name.slice(0, letters - 1)}…` : frame.name);
    const share = ((frame.totalUs / root.totalUs) * 100).toFixed(1);
    const text = label === "" ? "" : `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${label}</text>`;
    boxes.push(
      `<g><title>${escaped(frame.name)}: ${share} %, ${(frame.totalUs / 1000).toFixed(1)} ms</title>` +
        `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="${color(frame.name)}"/>${text}</g>`,
    );
    let at = x;
    for (const child of frame.children) {
      draw(child, at, row + 1);
      at += (child.totalUs / root.totalUs) * WIDTH;
    }
  };
  draw(root, 0, 0);
  const height = TOP + (depth + 1) * ROW + 8;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10.5">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="8" y="22" font-size="15" font-family="sans-serif">${escaped(title)}</text>`,
    ...boxes,
    "</svg>\n",
  ].join("\n");
}
