import { setTimeout as sleep } from "node:timers/promises";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import type { Kzg } from "../../../src/l1/blobs/kzg.ts";
import type { RollupIdentity } from "../../../src/l1/types.ts";
import { configuredKeys } from "../../../src/node/keys/proposer-keys.ts";
import { startPublisher } from "../../../src/node/sequencer/publisher.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { Publisher } from "../../../src/sequencer/publisher/publisher.ts";
import type { Logger } from "../../../src/telemetry/logger.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import type { ReplayedL1 } from "../../world/l1/replayed-l1.ts";
import { PUBLISHER_KEY } from "../../world/sequencer/recorded-proposals.ts";

export interface LogLine {
  level: string;
  message: string;
  facts: Record<string, unknown>;
}

export function recordingLogger(lines: LogLine[]): Logger {
  const at = (level: string) => (facts: object, message: string) => {
    lines.push({ level, message, facts: facts as Record<string, unknown> });
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

export interface Opened {
  publisher: Publisher;
  lines: LogLine[];
  /** Ends every wait and closes the store. The next run watches transactions in flight. */
  close(): Promise<void>;
}

export interface RecordedPublisherOptions {
  url: string;
  identity: RollupIdentity;
  kzg: Pick<Kzg, "load" | "prove">;
  /** L1's time, seconds. */
  now: number;
  /** Kept between runs; without it sent transactions are forgotten. */
  dataDirectory?: string;
  /** Overrides variables of the recorded network. */
  environment?: Record<string, string>;
  /** How long L1 may take to answer. */
  timeoutMs?: number;
}

/** The node's own publisher, configured by the variables of the recorded network. */
export async function openRecordedPublisher(options: RecordedPublisherOptions): Promise<Opened> {
  const { url, identity, kzg, now, dataDirectory, environment, timeoutMs = 60_000 } = options;
  const lines: LogLine[] = [];
  const { values } = configure({
    flags: new Map(),
    environment: {
      ETHEREUM_HOSTS: url,
      L1_CHAIN_ID: String(identity.l1ChainId),
      SEQ_PUBLISHER_PRIVATE_KEY: toHex(PUBLISHER_KEY),
      L1_TX_MONITOR_CHECK_INTERVAL_MS: "20",
      ETHEREUM_HTTP_TIMEOUT_MS: String(timeoutMs),
      ...environment,
    },
  });
  const { publisher, stop } = startPublisher({
    values: partValues(values),
    directory: { path: dataDirectory ?? "", temporary: dataDirectory === undefined },
    identity,
    generation: V4,
    keys: await configuredKeys(partValues(values).keys, () => {}),
    kzg,
    votes: { holds: () => false, sign: () => Promise.reject(new Error("no votes here")) },
    now: () => now * 1000,
    metrics: new Metrics(() => {}),
    logger: recordingLogger(lines),
  });
  return { publisher, lines, close: stop };
}

/** Waits until a condition holds. Throws after two minutes. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 120_000;
  while (Date.now() < end) {
    if (await holds()) return;
    await sleep(20);
  }
  throw new Error(`never came: ${what}`);
}

/** Hashes of the pending transactions on L1. */
export async function waiting(l1: ReplayedL1): Promise<string[]> {
  const { pending } = await l1.request<{ pending: Record<string, Record<string, { hash: string }>> }>("txpool_content");
  return Object.values(pending).flatMap((byNonce) => Object.values(byNonce).map(({ hash }) => hash));
}
