import { toHex } from "../../../protocol/bytes.ts";
import type { MissedDuty } from "../../../telemetry/duty-times.ts";
import type { MetricKind } from "../../../telemetry/metrics/metric-row.ts";
import type { MetricFamily, MetricSeries } from "../../../telemetry/metrics/metrics.ts";
import { encoder } from "../../codecs/json/encoder.ts";
import {
  about,
  BOOLEAN,
  COUNT,
  listOf,
  members,
  NUMBER,
  oneOfWords,
  record,
  TEXT,
} from "../../codecs/json/json-schema.ts";
import { DECIMAL, L2_ADDRESS, SLOT_NUMBER, TIMESTAMP, TX_HASH } from "../../codecs/json/scalars.ts";
import type { HealthReport } from "../../ports/node-health.ts";
import type { LogLine, OptionReport, PeerReport, PooledTxReport } from "../ports/node-reports.ts";
import { DUTY_NAMES } from "./duty-times.ts";

const MILLISECONDS = about(COUNT, "Unix milliseconds.");

const COMPONENT = record(
  "ComponentHealth",
  "How a component of the node is.",
  {
    name: about(TEXT, "Which component it is."),
    state: oneOfWords(["ok", "off", "waiting", "failed"], "Waiting: it gets well by itself. Failed: it may not."),
    since: about(TEXT, "When the state became what it is: ISO 8601, UTC."),
  },
  { reason: about(TEXT, "Why it is not well.") },
);
const INTEGER = { type: "integer" };
const HEALTH = record(
  "NodeHealth",
  "How the node is.",
  {
    components: about(listOf(COMPONENT), "Those that the node has."),
    blockNumber: about(COUNT, "The last block that it knows."),
    checkpointNumber: about(COUNT, "The last checkpoint that it knows."),
    lagBlocks: about(COUNT, "Blocks that L1 has and the node does not."),
    limits: about(
      members(
        {},
        {
          maxLagBlocks: about(COUNT, "Of lagBlocks."),
          maxL1AgeSeconds: about(COUNT, "Of l1AgeSeconds."),
          minPeers: about(COUNT, "Of peers."),
        },
      ),
      "Limits of readiness.",
    ),
  },
  {
    l1BlockNumber: about(COUNT, "The last L1 block that was processed."),
    l1AgeSeconds: about(INTEGER, "Its age; negative if it is ahead of the node's clock."),
    peers: about(COUNT, "Connected peers; absent where P2P is off."),
  },
);
export const encodeHealth = encoder<HealthReport>(HEALTH, (out, health) => void out.value(health));

const METRIC = record(
  "Metric",
  "A metric's value for one set of labels.",
  {
    name: about(TEXT, "With dots, as OpenTelemetry spells it."),
    kind: oneOfWords(
      ["counter", "upDownCounter", "gauge", "histogram"] satisfies MetricKind[],
      "What it is to OpenTelemetry.",
    ),
    unit: about(TEXT, "As OpenTelemetry spells units; empty if it has none."),
    labels: about({ type: "object", additionalProperties: TEXT }, "Values of its labels."),
  },
  {
    value: about(NUMBER, "Its value, if it is no histogram."),
    sum: about(NUMBER, "Sum of a histogram's values."),
    bounds: about(listOf(NUMBER), "Upper bounds of a histogram's buckets."),
    counts: about(listOf(COUNT), "Values in each bucket of a histogram; the last bucket has no upper bound."),
  },
);

function metricOf({ row: { name, kind, unit, bounds } }: MetricFamily, series: MetricSeries): object {
  const head = { name, kind, unit, labels: series.labels };
  if ("value" in series) return { ...head, value: series.value };
  const { sum, counts } = series.distribution;
  return { ...head, sum, bounds, counts };
}

export const encodeMetrics = encoder<MetricFamily[]>(
  listOf(METRIC),
  (out, families) => void out.value(families.flatMap((one) => one.series.map((series) => metricOf(one, series)))),
);

const LOG_LINE = record("LogLine", "A line of the log.", {
  sequence: about(COUNT, "Counts the lines since the start of the process."),
  time: MILLISECONDS,
  level: about(TEXT, "Such as info or warn."),
  module: about(TEXT, "The part of the node that it is from."),
  message: about(TEXT, "What happened."),
  fields: about(listOf(TEXT), "Further fields, as name=value."),
});
export const encodeLogLine = encoder<LogLine>(LOG_LINE, (out, line) => void out.value(line));

const OPTION = record(
  "NodeOption",
  "An option of the node.",
  {
    name: about(TEXT, "Its name in the configuration."),
    group: about(TEXT, "Heading under which the help has it."),
    value: about(TEXT, "As the node was started; empty if it has none. Secrets are redacted."),
    origin: about(TEXT, "Where the value comes from."),
    meaning: about(TEXT, "What it does."),
  },
  { flag: about(TEXT, "The flag that sets it."), variable: about(TEXT, "The environment variable that sets it.") },
);
export const encodeOptionReport = encoder<OptionReport>(OPTION, (out, option) => void out.value(option));

const PEER = record(
  "ConnectedPeer",
  "A connected peer.",
  {
    id: about(TEXT, "Its peer id."),
    inbound: about(BOOLEAN, "Whether the peer dialled this node."),
    connectedAt: MILLISECONDS,
    score: about(NUMBER, "For faults in messages and requests: 0 at best, disconnected below -50, banned below -100."),
    gossipScore: about(NUMBER, "Of gossip, which contains the other score with a weight."),
    state: oneOfWords(["healthy", "disconnect", "banned"], "What the score means."),
    meshes: about(listOf(TEXT), "Topics in whose mesh it is."),
    listed: about(BOOLEAN, "Whether the configuration lists it, so that it is never pruned."),
  },
  { ip: about(TEXT, "Its IP address.") },
);
export const encodePeerReport = encoder<PeerReport>(PEER, (out, peer) => void out.value(peer));

const POOLED_TX = record(
  "PendingTxSummary",
  "A pending transaction without its content.",
  {
    hash: TX_HASH,
    feePayer: L2_ADDRESS,
    priorityFee: about(DECIMAL, "What it offers per L2 gas beyond the base fee; it decides the order."),
    feeLimit: about(DECIMAL, "Most that it may cost, in units of the fee asset."),
    l2GasLimit: about(COUNT, "Its limit of L2 gas."),
    forPublic: about(BOOLEAN, "Whether it has public calls."),
    bytes: about(COUNT, "Its size."),
    expiration: about(TIMESTAMP, "No later block may have it."),
  },
  { receivedAt: about(MILLISECONDS, "Absent if it was there when the node started.") },
);
export const encodePooledTx = encoder<PooledTxReport>(
  POOLED_TX,
  (out, { hash, feePayer, priorityFee, feeLimit, expiration, ...rest }) =>
    void out.value({
      hash: toHex(hash),
      feePayer: toHex(feePayer),
      priorityFee: String(priorityFee),
      feeLimit: String(feeLimit),
      expiration: String(expiration),
      ...rest,
    }),
);

const MISSED_DUTY = record("MissedDuty", "A duty that the node did not do, or did too late.", {
  slot: SLOT_NUMBER,
  duty: oneOfWords(DUTY_NAMES, "What was to be done."),
  reason: about(TEXT, "Why it did not."),
});
export const encodeMissedDuties = encoder<MissedDuty[]>(listOf(MISSED_DUTY), (out, duties) => void out.value(duties));
