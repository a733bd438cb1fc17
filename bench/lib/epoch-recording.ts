import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { deployRequest } from "../../src/cli/deploy/deploy-request.ts";
import { configure } from "../../src/config/configuration.ts";
import { parseLogFilter } from "../../src/config/kinds/log-filter.ts";
import type { Values } from "../../src/config/options.ts";
import { deployL1Contracts } from "../../src/l1/deploy/deploy-l1-contracts.ts";
import { anvilBinary } from "../../src/local-network/anvil-binary.ts";
import { DevelopmentL1, type FullL1Block } from "../../src/local-network/development-l1.ts";
import { EpochSettler } from "../../src/local-network/epoch-settler.ts";
import { RESTING } from "../../src/local-network/local-chain.ts";
import { setUp } from "../../src/local-network/set-up.ts";
import { type ChainParts, startNode } from "../../src/node/node.ts";
import { openDataDirectory } from "../../src/process/data-directory.ts";
import { createLogging } from "../../src/process/logging/logging.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { epochOfSlot, epochSlots, slotAt, slotTimestamp } from "../../src/protocol/time.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";
import { freePort } from "./recorded-nodes.ts";
import { ServerProcess } from "./server-process.ts";
import { TxTraffic } from "./tx-traffic.ts";
import { answerTo, call } from "./wrk.ts";

/** First account of anvil, which publishes checkpoints. */
const PUBLISHER_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const WAIT_LIMIT_MS = 180_000;
const LOOK_MS = 10;
/**
 * The rollup takes fees from L1's base fee, so that must be the same when the blocks are mined again between others:
 * the least there is.
 */
const L1_FLAGS = ["--base-fee", "7", "--gas-limit", "45000000", "--slots-in-an-epoch", "4", "--silent"];

/** What an epoch is to have in it: txs per checkpoint, which fill all slots of the epoch. */
export type EpochPlan = readonly number[];

/** An epoch as L1 got it. */
export interface RecordedEpoch {
  readonly number: number;
  readonly checkpoints: number;
  readonly txs: number;
  /** L1 blocks, the first right after the previous epoch's last; the last one completes the epoch. */
  readonly blocks: readonly FullL1Block[];
}

/** Epochs that are played to prover nodes (EpochReplay), and what those need besides L1. */
export interface EpochRecording {
  /** State of an anvil before the first epoch, all earlier checkpoints proven. */
  readonly state: string;
  /** Folder of a blob file store. */
  readonly blobs: string;
  readonly registryAddress: string;
  readonly rollupAddress: string;
  /** Settings of the network, for every node. */
  readonly settings: Readonly<Record<string, string>>;
  readonly epochs: readonly RecordedEpoch[];
  /** Txs by hash, as JSON of the v4 RPC. */
  readonly txs: ReadonlyMap<string, unknown>;
  remove(): void;
}

/** Starts an anvil and waits for it. */
export async function startBenchL1(args: readonly string[]): Promise<{ l1: DevelopmentL1; process: ServerProcess }> {
  const port = await freePort();
  const process = new ServerProcess(anvilBinary(), ["--port", String(port), ...L1_FLAGS, ...args]);
  const l1 = new DevelopmentL1(`http://127.0.0.1:${port}`, new AbortController().signal, silentLogger, []);
  await process.until(async () => {
    const found = await l1.check(31337).then(
      () => true,
      () => undefined,
    );
    if (found === undefined) await sleep(50);
    return found;
  });
  return { l1, process };
}

async function until(what: string, probe: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + WAIT_LIMIT_MS; !(await probe()); await sleep(LOOK_MS)) {
    if (performance.now() > end) throw new Error(`${what}: not within ${WAIT_LIMIT_MS / 1000} s`);
  }
}

/** A node of this process that builds a checkpoint when it is told to; its clock and L1's are moved slot by slot. */
class Recorder {
  readonly #parts: ChainParts;
  readonly #l1: DevelopmentL1;
  readonly #traffic: TxTraffic;

  constructor(parts: ChainParts, l1: DevelopmentL1, url: string) {
    this.#parts = parts;
    this.#l1 = l1;
    this.#traffic = new TxTraffic(url);
  }

  get #constants() {
    return this.#parts.reader.identity.constants;
  }

  /** Begins a slot. The sequencer builds its checkpoint if there are txs. */
  async moveTo(slot: number): Promise<void> {
    const { clock, synchronizer, sequencer } = this.#parts;
    const timestamp = slotTimestamp(slot, this.#constants);
    await this.#l1.mineAt(timestamp);
    clock.set(timestamp * 1000);
    synchronizer.poke();
    sequencer?.wake();
  }

  async slot(): Promise<number> {
    return slotAt((await this.#l1.latest()).timestamp, this.#constants);
  }

  /** Puts all pending txs into the checkpoint of a slot. */
  async checkpointIn(slot: number): Promise<void> {
    const { chain, sequencer } = this.#parts;
    const next = chain.latestCheckpointNumber() + 1;
    await this.moveTo(slot);
    await until(`checkpoint ${next} in slot ${slot}`, () => chain.latestCheckpointNumber() >= next);
    await until("the sequencer is at rest", () => RESTING.has(sequencer?.status().state ?? "IDLE"));
  }

  /** Creates the accounts and the token, each set-up tx in a slot of its own. */
  async setUp(): Promise<void> {
    const { store, chain, reader, mempool, clock } = this.#parts;
    let done = false;
    const work = setUp({
      ...{ store, chain, identity: reader.identity, fees: reader.fees },
      pool: mempool.pool,
      validator: mempool.validator,
      now: clock.now,
      onBlock: () => {},
      signal: new AbortController().signal,
    }).finally(() => {
      done = true;
    });
    while (!done) {
      if (mempool.pool.pendingCount > 0) await this.checkpointIn((await this.slot()) + 1);
      await sleep(LOOK_MS);
    }
    await work;
    await this.#traffic.mint();
    await this.checkpointIn((await this.slot()) + 1);
  }

  /**
   * Moves to the last slot of an epoch, puts a tx into it, so that the sequencer has nothing to do there any more, and
   * marks all checkpoints as proven. Returns the next epoch.
   */
  async beginEpoch(): Promise<number> {
    const { chain, reader, synchronizer } = this.#parts;
    const { addresses } = reader.identity;
    const constants = this.#constants;
    const epoch = epochOfSlot(await this.slot(), constants) + 1;
    await this.#traffic.sendOne();
    await this.checkpointIn(epochSlots(epoch, constants).last);
    const { timestamp } = await this.#l1.latest();
    await new EpochSettler({ l1: this.#l1, chain, constants, addresses }).settle(timestamp);
    await this.#l1.mineAt(timestamp + 1);
    synchronizer.poke();
    await until("all checkpoints are proven", () => chain.provenCheckpointNumber() === chain.latestCheckpointNumber());
    return epoch + 1;
  }

  /** Makes the checkpoints of an epoch, every second tx with a public call. Returns its txs by hash. */
  async epoch(number: number, plan: EpochPlan): Promise<Map<string, unknown>> {
    const { pool } = this.#parts.mempool;
    const { first } = epochSlots(number, this.#constants);
    const txs = new Map<string, unknown>();
    for (const [i, count] of plan.entries()) {
      for (let tx = 0; tx < count; tx++) {
        const hash = await (txs.size % 2 === 0 ? this.#traffic.sendOne() : this.#traffic.sendPrivate());
        txs.set(hash, await answerTo(this.#traffic.url, call("node_getTxByHash", [hash])));
      }
      await this.checkpointIn(first + i);
      if (pool.pendingCount > 0) throw new Error(`${pool.pendingCount} txs are not in their checkpoint`);
    }
    return txs;
  }

  close(): void {
    this.#traffic.close();
  }
}

/** Makes a chain with an epoch for each plan; an epoch has as many slots as each plan has checkpoints. */
export async function recordEpochs(plans: readonly EpochPlan[]): Promise<EpochRecording> {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-epochs-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const blobs = join(folder, "blobs");
  mkdirSync(blobs);
  const { l1, process } = await startBenchL1([]);
  const settings = {
    L1_CHAIN_ID: "31337",
    ETHEREUM_SLOT_DURATION: "4",
    AZTEC_SLOT_DURATION: "72",
    AZTEC_EPOCH_DURATION: String(plans[0].length),
    AZTEC_TARGET_COMMITTEE_SIZE: "0",
    AZTEC_PROOF_SUBMISSION_EPOCHS: "100",
    AZTEC_SLASHER_FLAVOR: "none",
    TEST_ACCOUNTS: "true",
    SPONSORED_FPC: "true",
    PROVER_REAL_PROOFS: "false",
    P2P_ENABLED: "false",
  };
  const stops: (() => Promise<void> | void)[] = [() => process.stop()];
  try {
    const environment = {
      ...settings,
      ETHEREUM_HOSTS: l1.url,
      BLOB_FILE_STORE_URLS: `file://${blobs}`,
      BLOB_FILE_STORE_UPLOAD_URL: `file://${blobs}`,
      SEQ_PUBLISHER_PRIVATE_KEY: PUBLISHER_KEY,
      AZTEC_PORT: "0",
      AZTEC_ADMIN_PORT: "0",
      AZTEC_DISABLE_ADMIN_API_KEY: "true",
      ETHEREUM_ALLOW_NO_DEBUG_HOSTS: "true",
      SVC_RPC_THREADS: "0",
      P2P_MIN_TX_POOL_AGE_MS: "0",
      SEQ_PER_BLOCK_ALLOCATION_MULTIPLIER: "100",
      ARCHIVER_POLLING_INTERVAL_MS: "50",
      SEQ_POLLING_INTERVAL_MS: "50",
      DATA_DIRECTORY: join(folder, "data"),
    };
    const { values } = configure({ flags: new Map([["--sequencer", "true"]]), environment });
    const { addresses } = await deployL1Contracts(deployRequest(values, {}, {}));
    const directory = openDataDirectory(values.dataDirectory, () => {});
    stops.unshift(() => directory.release());
    let parts: ChainParts | undefined;
    const node = await startNode({
      values: { ...(values as Values), registryAddress: addresses.registryAddress },
      directory,
      version: "0.0.0",
      loggerFor: createLogging({ filter: parseLogFilter("silent"), json: true, secrets: [], write: () => {} }),
      signal: new AbortController().signal,
      beforeListening: async (started) => {
        parts = started;
        started.clock.set((await l1.latest()).timestamp * 1000);
      },
    });
    stops.unshift(() => node.stop());
    await node.synced();
    const recorder = new Recorder(parts as ChainParts, l1, `http://127.0.0.1:${node.port}`);
    stops.unshift(() => recorder.close());
    await recorder.setUp();
    let epoch = await recorder.beginEpoch();
    const state = join(folder, "anvil-state.json");
    await l1.writeState(state);
    const epochs: RecordedEpoch[] = [];
    const txs = new Map<string, unknown>();
    for (const plan of plans) {
      const from = await l1.height();
      const made = await recorder.epoch(epoch, plan);
      const to = await l1.height();
      const blocks: FullL1Block[] = [];
      for (let block = from + 1; block <= to; block++) blocks.push(await l1.fullBlock(block));
      epochs.push({ number: epoch, checkpoints: plan.length, txs: made.size, blocks });
      for (const [hash, tx] of made) txs.set(hash, tx);
      epoch++;
    }
    const { registryAddress, rollupAddress } = addresses;
    const text = (address: string | Uint8Array) => (typeof address === "string" ? address : toHex(address));
    return {
      ...{ state, blobs, settings, epochs, txs, remove },
      registryAddress: text(registryAddress),
      rollupAddress: text(rollupAddress),
    };
  } catch (error) {
    remove();
    throw error;
  } finally {
    for (const stop of stops) await stop();
  }
}
