import { setTimeout as sleep } from "node:timers/promises";
import type { Kzg } from "../../../src/l1/blobs/kzg.ts";
import type { L1Logger } from "../../../src/l1/logger.ts";
import type { RollupIdentity } from "../../../src/l1/types.ts";
import { PrivateKey } from "../../../src/validator/keystore/private-key.ts";
import type { ReplayedL1 } from "../../conformance/replayed-l1.ts";
import { type OpenPublisher, openPublisher, type PublisherOptions } from "./open-publisher.ts";
import { PUBLISHER_KEY, SETTINGS } from "./recorded-proposals.ts";

export interface LogLine {
  level: string;
  message: string;
  facts: Record<string, unknown>;
}

export function recordingLogger(lines: LogLine[]): L1Logger {
  const at = (level: string) => (facts: object, message: string) => {
    lines.push({ level, message, facts: facts as Record<string, unknown> });
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

export type Opened = OpenPublisher & { lines: LogLine[] };

/** A publisher with the recorded network's key, with the clock at L1's `now` in seconds. */
export function openRecordedPublisher(
  {
    url,
    identity,
    kzg,
    now,
  }: { url: string; identity: RollupIdentity; kzg: Pick<Kzg, "prove" | "start">; now: number },
  changes: Partial<PublisherOptions> = {},
): Opened {
  const lines: LogLine[] = [];
  const key = new PrivateKey(PUBLISHER_KEY);
  const opened = openPublisher({
    l1RpcUrls: [url],
    identity,
    accounts: [{ kind: "local", address: key.address, key }],
    publishersOf: () => [key.address],
    settings: SETTINGS,
    allowBusy: true,
    kzg,
    now: () => now * 1000,
    logger: recordingLogger(lines),
    timeoutMs: 2000,
    ...changes,
  });
  return { ...opened, lines };
}

/** Waits until something holds. Throws after half a minute. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 30_000;
  while (Date.now() < end) {
    if (await holds()) return;
    await sleep(20);
  }
  throw new Error(`never came: ${what}`);
}

/** Hashes of the transactions that wait on L1. */
export async function waiting(l1: ReplayedL1): Promise<string[]> {
  const { pending } = await l1.request<{ pending: Record<string, Record<string, { hash: string }>> }>("txpool_content");
  return Object.values(pending).flatMap((byNonce) => Object.values(byNonce).map(({ hash }) => hash));
}
