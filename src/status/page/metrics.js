import { useRef } from "preact/hooks";
import { useCall } from "./rpc.js";

const EVERY_MS = 4_000;
/** Rates are over as much time. */
const WINDOW_MS = 60_000;

const fits = (labels, wanted) => Object.entries(wanted).every(([name, value]) => labels[name] === value);

/** Metrics as the node answered them at one time. */
class Sample {
  constructor(metrics) {
    this.at = performance.now();
    this.metrics = metrics;
  }

  /** All series of a metric. */
  series(name, labels = {}) {
    return this.metrics.filter((one) => one.name === name && fits(one.labels, labels));
  }

  /** Sum of the series' values, or the number of a histogram's values; undefined if there is no series. */
  total(name, labels = {}) {
    const found = this.series(name, labels);
    if (found.length === 0) return undefined;
    return found.reduce((sum, { value, counts }) => sum + (value ?? counts.reduce((all, one) => all + one, 0)), 0);
  }
}

/**
 * Metrics by the prefixes of their names: the latest sample, and the first one of the last minute, to tell what
 * happened in between. Both are the same in the beginning, and undefined before the first answer.
 */
export function useMetrics(prefixes) {
  const { value, error } = useCall("svcAdmin_getMetrics", [prefixes], EVERY_MS);
  const { current: samples } = useRef(/** @type {Sample[]} */ ([]));
  if (value && samples.at(-1)?.metrics !== value) samples.push(new Sample(value));
  const latest = samples.at(-1);
  while (latest && samples.length > 1 && latest.at - samples[1].at > WINDOW_MS) samples.shift();
  const [first] = samples;
  return { first, latest, seconds: latest === undefined ? 0 : (latest.at - first.at) / 1000, error };
}

/** Growth of a counter in the last minute; undefined before there are two samples. */
export function growth({ first, latest }, name, labels) {
  if (latest === first) return undefined;
  return Math.max(0, (latest.total(name, labels) ?? 0) - (first.total(name, labels) ?? 0));
}

/** The bound below which a share of a histogram's values are, as text; "–" without values. */
export function within({ bounds, counts }, share, shown) {
  const all = counts.reduce((sum, one) => sum + one, 0);
  if (all === 0) return "–";
  let rest = share * all;
  const bucket = counts.findIndex((one) => {
    rest -= one;
    return rest <= 0;
  });
  return bucket < bounds.length ? shown(bounds[bucket]) : `> ${shown(bounds.at(-1))}`;
}

/** Mean of a histogram's series. */
export function mean({ sum, counts }) {
  const all = counts.reduce((total, one) => total + one, 0);
  return all === 0 ? undefined : sum / all;
}
