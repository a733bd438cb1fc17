import { useEffect, useRef } from "preact/hooks";
import { short } from "./format.js";
import { html } from "./html.js";

/** A global of its script. @type {typeof import("uplot")} */
const uPlot = /** @type {any} */ (globalThis).uPlot;

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Steps between numbers of blocks. */
const WHOLE_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

/**
 * A chart over the numbers of blocks or times: `data` as uPlot takes it, `series` as `{ label, color, bars?, scale?,
 * value? }`. `summary` is the text for readers of no pictures.
 */
export function Chart({ data, series, height = 150, time = false, summary }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const plot = useRef(/** @type {import("uplot") | undefined} */ (undefined));
  useEffect(() => {
    const box = place.current;
    if (box === null) return undefined;
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const draw = () => {
      plot.current?.destroy();
      const axis = {
        stroke: color("--dim"),
        grid: { stroke: color("--line"), width: 1 },
        ticks: { show: false },
        font: "11px Inter, system-ui, sans-serif",
      };
      plot.current = new uPlot(
        {
          width: box.clientWidth,
          height,
          scales: {
            // Half a bar of room at both ends, and bars that stand on zero.
            x: { time, range: (_, from, to) => (time ? [from, to] : [from - 0.75, to + 0.75]) },
            y: { range: (_, _from, to) => [0, to > 0 ? 1.05 * to : 1] },
          },
          legend: { show: false },
          cursor: { y: false, points: { show: false } },
          axes: [
            { ...axis, grid: { show: false }, space: 70, size: 26, ...(!time && { incrs: WHOLE_STEPS }) },
            {
              ...axis,
              size: 44,
              space: 30,
              values: (_, values) => values.map((value) => (Number.isInteger(value) || value > 10 ? short(value) : "")),
            },
          ],
          series: [
            {},
            ...series.map(({ label, color: name, bars }) => ({
              label,
              stroke: color(name),
              fill: `color-mix(in srgb, ${color(name)} ${bars ? 75 : 14}%, transparent)`,
              width: bars ? 0 : 1.5,
              points: { show: false },
              ...(bars && { paths: uPlot.paths.bars?.({ size: [0.7, 24] }) }),
            })),
          ],
        },
        data,
        box,
      );
    };
    draw();
    const sized = new ResizeObserver(() => {
      const width = box.clientWidth;
      if (width > 0 && width !== plot.current?.width) plot.current?.setSize({ width, height });
    });
    sized.observe(box);
    scheme.addEventListener("change", draw);
    return () => {
      sized.disconnect();
      scheme.removeEventListener("change", draw);
      plot.current?.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(data), [data]);
  return html`<div class="chart" ref=${place} role="img" aria-label=${summary}></div>`;
}
