import type { MetricRow } from "./metric-row.ts";

/** Values of a row's labels. A label that is left out is not exported for that series. */
export type Labels = Readonly<Record<string, string>>;

/** What a histogram counted. `counts` has one more element than the row has bounds: the last has no upper bound. */
export interface Distribution {
  readonly counts: readonly number[];
  readonly sum: number;
}

export type MetricSeries =
  | { readonly labels: Labels; readonly value: number }
  | { readonly labels: Labels; readonly distribution: Distribution };

/** The values of one metric at one moment. */
export interface MetricFamily {
  readonly row: MetricRow;
  readonly series: readonly MetricSeries[];
}

/** Takes values that a subsystem has at the moment of a collection. */
interface Observation {
  set(row: MetricRow, value: number, labels?: Labels): void;
  setDistribution(row: MetricRow, distribution: Distribution, labels?: Labels): void;
}

/** Most series of a metric; further ones are dropped and counted. */
export const MAX_SERIES = 256;

const NO_LABELS: Labels = {};

interface Series {
  readonly labels: Labels;
  value: number;
  /** Of a histogram, one per bucket. */
  counts: number[] | undefined;
  /** Of a histogram. */
  sum: number;
}

/** All series of a metric that a subsystem counts itself. */
class Instrument {
  readonly row: MetricRow;
  readonly #series = new Map<string, Series>();
  readonly #dropped: () => void;

  constructor(row: MetricRow, dropped: () => void) {
    this.row = row;
    this.#dropped = dropped;
    if (row.kind === "upDownCounter" || row.kind === "counter") this.#startAtZero();
  }

  /** A counter whose first value is 1 has no rate for its first event, so known series start at 0. */
  #startAtZero(): void {
    let all: Labels[] = [NO_LABELS];
    for (const [label, values] of Object.entries(this.row.labels)) {
      if (values === "any") return;
      all = all.flatMap((labels) => values.map((value) => ({ ...labels, [label]: value })));
    }
    for (const labels of all) this.of(labels);
  }

  /** Undefined where there is no place for another series. */
  of(labels: Labels): Series | undefined {
    const key = seriesKey(labels);
    let series = this.#series.get(key);
    if (series === undefined) {
      if (this.#series.size >= MAX_SERIES) {
        this.#dropped();
        return undefined;
      }
      checkLabels(this.row, labels);
      const counts = this.row.kind === "histogram" ? new Array<number>(this.row.bounds.length + 1).fill(0) : undefined;
      series = { labels, value: 0, counts, sum: 0 };
      this.#series.set(key, series);
    }
    return series;
  }

  series(): MetricSeries[] {
    return [...this.#series.values()].map(({ labels, value, counts, sum }) =>
      counts === undefined ? { labels, value } : { labels, distribution: { counts: [...counts], sum } },
    );
  }
}

function seriesKey(labels: Labels): string {
  let key = "";
  for (const label in labels) key += `${label}\0${labels[label]}\0`;
  return key;
}

function checkLabels(row: MetricRow, labels: Labels): void {
  for (const label of Object.keys(labels)) {
    if (!(label in row.labels)) throw new TypeError(`metric ${row.name} has no label ${label}`);
  }
}

/** Index of the bucket of a value: the first whose bound is not below it. */
export function bucketOf(bounds: readonly number[], value: number): number {
  let bucket = 0;
  while (bucket < bounds.length && value > bounds[bucket]) bucket++;
  return bucket;
}

export interface CounterMetric {
  /** Adds 1 by default. */
  add(count?: number, labels?: Labels): void;
}

interface GaugeMetric {
  set(value: number, labels?: Labels): void;
}

interface HistogramMetric {
  /** `times` is the number of equal values that this one stands for. */
  record(value: number, labels?: Labels, times?: number): void;
}

/**
 * The metrics of a node. Subsystems count events in instruments, or give their values when they are collected. For one
 * thread; the same row always has the same instrument.
 */
export class Metrics {
  /** Unix milliseconds since which counters count. */
  readonly since = Date.now();
  readonly #instruments = new Map<string, Instrument>();
  readonly #observers = new Set<(observation: Observation) => void>();
  readonly #failed: (error: unknown) => void;
  #dropped = 0;

  /** `failed` is told of the error of a subsystem that could not give its values. */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  counter(row: MetricRow): CounterMetric {
    const instrument = this.#instrument(row);
    return {
      add(count = 1, labels = NO_LABELS) {
        const series = instrument.of(labels);
        if (series !== undefined) series.value += count;
      },
    };
  }

  gauge(row: MetricRow): GaugeMetric {
    const instrument = this.#instrument(row);
    return {
      set(value, labels = NO_LABELS) {
        const series = instrument.of(labels);
        if (series !== undefined) series.value = value;
      },
    };
  }

  histogram(row: MetricRow): HistogramMetric {
    const instrument = this.#instrument(row);
    return {
      record(value, labels = NO_LABELS, times = 1) {
        const series = instrument.of(labels);
        if (series?.counts === undefined || !Number.isFinite(value)) return;
        series.counts[bucketOf(row.bounds, value)] += times;
        series.sum += value * times;
      },
    };
  }

  /** Calls `read` at each collection; it must not wait. Returns an unsubscribe function. */
  observe(read: (observation: Observation) => void): () => void {
    this.#observers.add(read);
    return () => void this.#observers.delete(read);
  }

  /** Series that found no place since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** All metrics that have a value now, by name. */
  collect(): MetricFamily[] {
    const families = new Map<string, { row: MetricRow; series: MetricSeries[] }>();
    const familyOf = (row: MetricRow) => {
      let family = families.get(row.name);
      if (family === undefined) {
        family = { row, series: [] };
        families.set(row.name, family);
      }
      return family;
    };
    for (const instrument of this.#instruments.values()) {
      familyOf(instrument.row).series.push(...instrument.series());
    }
    const take = (row: MetricRow, series: MetricSeries): void => {
      checkLabels(row, series.labels);
      const family = familyOf(row);
      if (family.series.length < MAX_SERIES) family.series.push(series);
      else this.#dropped++;
    };
    const observation: Observation = {
      set(row, value, labels = NO_LABELS) {
        if (Number.isFinite(value)) take(row, { labels, value });
      },
      setDistribution: (row, distribution, labels = NO_LABELS) => take(row, { labels, distribution }),
    };
    for (const read of this.#observers) {
      try {
        read(observation);
      } catch (error) {
        this.#failed(error);
      }
    }
    return [...families.values()]
      .filter(({ series }) => series.length > 0)
      .sort((a, b) => (a.row.name < b.row.name ? -1 : 1));
  }

  #instrument(row: MetricRow): Instrument {
    let instrument = this.#instruments.get(row.name);
    if (instrument === undefined) {
      instrument = new Instrument(row, () => this.#dropped++);
      this.#instruments.set(row.name, instrument);
    } else if (instrument.row !== row) throw new TypeError(`two rows are named ${row.name}`);
    return instrument;
  }
}
