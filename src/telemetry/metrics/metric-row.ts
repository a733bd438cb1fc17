/** A counter only grows; an up-down counter may shrink, and is how the network's release counts everything. */
export type MetricKind = "counter" | "upDownCounter" | "gauge" | "histogram";

/**
 * A label's values that are exported from the start, with 0; or "any", for labels whose values are not known before.
 */
type LabelValues = readonly string[] | "any";

/**
 * One row of a subsystem's table of metrics: the single source for the exporters and docs/metrics.md. No label may name
 * a client or hold a secret, and the values of each must be few.
 */
export interface MetricRow {
  /** With dots, as OpenTelemetry spells it. */
  readonly name: string;
  readonly kind: MetricKind;
  /** As OpenTelemetry spells units (UCUM, such as ms, s, By); empty if it has none. */
  readonly unit: string;
  readonly labels: Readonly<Record<string, LabelValues>>;
  /** One clause for the operator. */
  readonly meaning: string;
  /** Upper bounds of a histogram's buckets, ascending, without the infinite one; none for other kinds. */
  readonly bounds: readonly number[];
}

type Given = Partial<Pick<MetricRow, "unit" | "labels">> & Pick<MetricRow, "meaning">;

const row = (kind: MetricKind, name: string, { unit = "", labels = {}, meaning }: Given): MetricRow => ({
  name,
  kind,
  unit,
  labels,
  meaning,
  bounds: [],
});

export const counter = (name: string, given: Given): MetricRow => row("counter", name, given);
export const upDownCounter = (name: string, given: Given): MetricRow => row("upDownCounter", name, given);
export const gauge = (name: string, given: Given): MetricRow => row("gauge", name, given);

/** Bounds that the release gives to histograms of a unit. */
const RELEASE_BOUNDS: Readonly<Record<string, readonly number[]>> = {
  Mmana: [0.1, 0.5, 1, 2, 4, 8, 10, 25, 50, 100, 500, 1_000, 5_000, 10_000],
  tx: [4, 8, 18, 36, 72, 180, 360, 540],
  s: [1, 2, 4, 6, 10, 15, 30, 60, 90, 120, 180, 240, 300, 480, 600, 900, 1_200],
  ms: [10, 20, 35, 50, 75, 100, 250, 500, 750, 1_000, 2_500, 5_000, 7_500, 10_000, 15_000, 30_000, 60_000],
  us: [
    5, 10, 25, 50, 75, 100, 250, 500, 750, 1_000, 2_500, 5_000, 7_500, 10_000, 25_000, 50_000, 100_000, 250_000,
    500_000, 1_000_000,
  ],
  By: [
    32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144, 524_288, 1_048_576,
    1_572_864, 2_097_152,
  ],
  "mana/s": [
    1_000, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 750_000, 1_000_000, 2_000_000, 4_000_000,
    8_000_000, 10_000_000, 15_000_000, 30_000_000,
  ],
};
/** Default of OpenTelemetry for units without bounds of their own. */
const OTHER_BOUNDS = [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1_000, 2_500, 5_000, 7_500, 10_000];

export function histogram(name: string, { bounds, ...given }: Given & { bounds?: readonly number[] }): MetricRow {
  return { ...row("histogram", name, given), bounds: bounds ?? RELEASE_BOUNDS[given.unit ?? ""] ?? OTHER_BOUNDS };
}
