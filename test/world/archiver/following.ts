import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ValidateAttestations } from "../../../src/archiver/attestation-verdict.ts";
import { ChainStore } from "../../../src/archiver/chain-store.ts";
import { rebuildInThread } from "../../../src/archiver/rebuilders.ts";
import type { SyncEvents, SyncOptions } from "../../../src/archiver/sync-services.ts";
import { Synchronizer } from "../../../src/archiver/synchronizer.ts";
import type { Core } from "../../../src/core/core.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { openStore } from "../../../src/storage/store.ts";
import type { Logger } from "../../../src/telemetry/logger.ts";
import type { WorldStateWriter } from "../../../src/world-state/types.ts";
import type { FakeL1 } from "./fake-l1.ts";
import { FakeWorldState } from "./fake-world-state.ts";
import { dump, GENESIS } from "./open-chain.ts";
import { CONSTANTS } from "./synthetic-chain.ts";

export interface LogLine {
  level: keyof Logger;
  facts: Record<string, unknown>;
  message: string;
}

export interface Follower {
  store: ReturnType<typeof openStore>;
  chain: ChainStore;
  worldState: FakeWorldState;
  synchronizer: Synchronizer;
  log: LogLine[];
  events: [keyof SyncEvents, unknown][];
  /** Lines of a level whose message or rule matches. */
  logged(level: keyof Logger, pattern: RegExp): LogLine[];
  /** Opens a new synchronizer on the same store, as after a restart. */
  restart(): Promise<Follower>;
  close(): Promise<void>;
}

export interface FollowOptions extends Partial<SyncOptions> {
  validateAttestations?: ValidateAttestations;
  path?: string;
}

/** A synchronizer over an in-memory L1 and a store in a temporary directory. */
export function follow(l1: FakeL1, core: Core, options: FollowOptions = {}): Follower {
  const { validateAttestations = async () => ({ valid: true }), path: given, ...syncOptions } = options;
  const path = given ?? mkdtempSync(join(tmpdir(), "svc-sync-"));
  const store = openStore({ path });
  const chain = new ChainStore({ store, genesis: GENESIS, epochDuration: CONSTANTS.epochDuration, generation: V4 });
  const worldState = new FakeWorldState(store);
  const log: LogLine[] = [];
  const write = (level: keyof Logger) => (facts: object, message: string) =>
    void log.push({ level, facts: facts as Record<string, unknown>, message });
  const logger: Logger = { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
  const synchronizer = new Synchronizer({
    store,
    chain,
    worldState: worldState as unknown as WorldStateWriter,
    reader: l1,
    blobs: l1.blobs,
    rebuild: rebuildInThread(core, V4),
    validateAttestations,
    logger,
    options: { pollingIntervalMs: 2, maxBackoffMs: 8, ...syncOptions },
  });
  const events: Follower["events"] = [];
  for (const event of ["blocksAdded", "blocksRemoved", "proven", "finalized", "invalidAttestations"] as const) {
    synchronizer.on(event, (fact) => void events.push([event, fact]));
  }
  return {
    store,
    chain,
    worldState,
    synchronizer,
    log,
    events,
    logged: (level, pattern) =>
      log.filter((l) => l.level === level && (pattern.test(l.message) || pattern.test(String(l.facts.rule)))),
    restart: async () => {
      await synchronizer.stop();
      await store.close();
      return follow(l1, core, { ...options, path });
    },
    close: async () => {
      await synchronizer.stop();
      await store.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Syncs until the chain no longer changes; retries after failures. */
export async function settle(follower: Follower, tries = 12): Promise<void> {
  let failure: unknown;
  for (let i = 0; i < tries; i++) {
    try {
      await follower.synchronizer.syncOnce();
      return;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Rows of blocks and messages, without sync positions, which depend on how L1 was read. */
export function chainRows(follower: Follower): unknown {
  const { "chain-state": _state, "chain-messages": messages, ...rows } = dump(follower.store);
  // The L1 block in a message row may be that of an earlier reading. The first 48 bytes are leaf and rolling hash.
  return { ...rows, messages: messages.map(([index, row]) => [index, row.slice(0, 96)]) };
}

/** Archive roots of the pending chain, by L1. */
export function pendingArchives(l1: FakeL1): string[] {
  return l1.state().pending.map((c) => toHex(c.archiveRoot));
}

export function storedArchives({ chain }: Follower): string[] {
  return Array.from({ length: chain.latestCheckpointNumber() }, (_, i) => toHex(chain.checkpoint(i + 1)!.archiveRoot));
}
