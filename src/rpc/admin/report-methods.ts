import { array, optional } from "../codecs/json/codec.ts";
import { encodeArray, encoder } from "../codecs/json/encoder.ts";
import { integer } from "../codecs/json/number.ts";
import { ETH_ADDRESS } from "../codecs/json/scalars.ts";
import { text } from "../codecs/json/text.ts";
import type { HealthReport } from "../ports/node-health.ts";
import { type Method, method, param } from "../registry/registry.ts";
import {
  encodeHealth,
  encodeLogLine,
  encodeMetrics,
  encodeMissedDuties,
  encodeOptionReport,
  encodePeerReport,
  encodePooledTx,
} from "./codecs/report-encoders.ts";
import type { AdminServices } from "./ports/admin-services.ts";

const MAX_LOG_LINES = 500;
const MAX_TXS = 200;
const MAX_PREFIXES = 50;
const PREFIX_LENGTH = 200;
const encodeAddress = encoder<string>(ETH_ADDRESS, (out, value) => void out.value(value));

/** What the node tells its operator about itself; the status page shows it. */
export function reportMethods({ reports, missedDuties }: Pick<AdminServices, "reports" | "missedDuties">): Method[] {
  return [
    method({
      name: "getHealth",
      summary: "State of each component, with the reason where it is not well",
      params: [],
      handle: (): HealthReport => reports.health(),
      encode: { svcAdmin: encodeHealth },
    }),
    method({
      name: "getMetrics",
      summary: "The metrics whose names begin with one of the prefixes",
      params: [param("prefixes", array(text(PREFIX_LENGTH), MAX_PREFIXES, 1), "Such as svc.l1.")],
      handle: (prefixes) =>
        reports.metrics().filter(({ row }) => prefixes.some((prefix) => row.name.startsWith(prefix))),
      encode: { svcAdmin: encodeMetrics },
    }),
    method({
      name: "getLogLines",
      summary: "The latest lines of the node's log, oldest first; secrets are redacted",
      params: [
        param("after", optional(integer({ least: 0 }), 0), "Only lines with a greater sequence number."),
        param("limit", optional(integer({ least: 1, most: MAX_LOG_LINES }), 200), "Lines at most, 200 by default."),
      ],
      handle: (after, limit) => reports.logLines(after, limit),
      encode: { svcAdmin: encodeArray(encodeLogLine) },
    }),
    method({
      name: "getOptions",
      summary: "Every option with the value that the node was started with, and where it comes from",
      params: [],
      handle: () => reports.options(),
      encode: { svcAdmin: encodeArray(encodeOptionReport) },
    }),
    method({
      name: "getConnectedPeers",
      summary: "Connected peers with their scores",
      params: [],
      handle: () => reports.peers(),
      encode: { svcAdmin: encodeArray(encodePeerReport) },
    }),
    method({
      name: "getPendingTxSummaries",
      summary: "Pending transactions without their content, highest priority first",
      params: [param("limit", optional(integer({ least: 1, most: MAX_TXS }), 50), "At most, 50 by default.")],
      handle: (limit) => reports.pendingTxs(limit),
      encode: { svcAdmin: encodeArray(encodePooledTx) },
    }),
    method({
      name: "getAttesters",
      summary: "Addresses of the validators whose keys this node has",
      params: [],
      handle: () => reports.attesters(),
      encode: { svcAdmin: encodeArray(encodeAddress) },
    }),
    method({
      name: "getMissedDuties",
      summary: "Latest duties that this node did not do or did too late, with the reasons, newest slot first",
      params: [],
      handle: () => missedDuties(),
      encode: { svcAdmin: encodeMissedDuties },
    }),
  ];
}
