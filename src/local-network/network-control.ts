import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { oneAtATime } from "../events/one-at-a-time.ts";
import type { DataDirectory } from "../process/data-directory.ts";
import type { NodeLogger } from "../process/logging/logging.ts";
import { headerTimestamp } from "../protocol/block-header.ts";
import { toHex } from "../protocol/bytes.ts";
import { slotTimestamp } from "../protocol/time.ts";
import type { FeeJuiceClaim, LocalAccounts, LocalNetworkControl } from "../rpc/admin/ports/local-network-control.ts";
import { makeFolder } from "../storage/make-folder.ts";
import { atRest } from "./at-rest.ts";
import type { DevelopmentL1 } from "./development-l1.ts";
import { depositFeeJuice, giveEther, localAccounts } from "./faucet.ts";
import type { LastingAnvil } from "./lasting-anvil.ts";
import { LocalNetworkError } from "./local-network-error.ts";
import type { LocalNode, RunningChain } from "./local-node.ts";
import { packState, requireOrigin, type StateOrigin, unpackState } from "./state-file.ts";
import type { StateKeeper } from "./state-keeper.ts";
import {
  cancelSwap,
  commitSwap,
  finishStateSwap,
  NODE_STATE,
  SNAPSHOT_FOLDER,
  STATE_FOLDER,
  WHOLE_STATE,
} from "./state-swap.ts";

interface NetworkControlOptions {
  l1: DevelopmentL1;
  /** Undefined if the L1 was given: then its chain cannot be replaced. */
  anvil: LastingAnvil | undefined;
  keeper: StateKeeper | undefined;
  node: LocalNode;
  directory: DataDirectory;
  /** Seconds between L1's blocks. */
  interval: number;
  /** Whether the set-up made accounts. */
  testAccounts: boolean;
  /** Called when the network is neither in its earlier state nor in the new one. */
  onFatal(error: Error): void;
  signal: AbortSignal;
  log: NodeLogger;
}

interface Snapshot {
  id: string;
  /** Id of L1's own snapshot. */
  l1: string;
  folder: string;
}

const LOOK_MS = 5;
/** Milliseconds of real time within which a block is mined. */
const MINE_LIMIT_MS = 60_000;
/** Milliseconds of real time that the current slot gets for a block, before the next slot begins. */
const MINE_PATIENCE_MS = 1_000;

/**
 * State and time of a local network, over L1 and the node together. The state is replaced on disk while the node is
 * stopped (state-swap.ts), then the node starts again: whatever a killed process leaves, the next start has the old
 * state or the new one. Where L1 and the node's store differ, the node follows L1.
 */
export class NetworkControl implements LocalNetworkControl {
  readonly #options: NetworkControlOptions;
  readonly #exclusive = oneAtATime();
  #snapshots: Snapshot[] = [];
  #ids = 0;

  constructor(options: NetworkControlOptions) {
    this.#options = options;
  }

  /** Resolves once no operation is under way. */
  settled(): Promise<void> {
    return this.#exclusive(async () => {});
  }

  dumpState(file: string): Promise<void> {
    return this.#exclusive(async () => {
      requireAbsolute(file);
      const folder = this.#newFolder();
      try {
        const { parts } = this.#chain();
        await this.#atRest(async () => {
          await this.#copyStores(folder);
          await this.#options.l1.writeState(join(folder, "l1-state.json"));
        });
        copyFileSync(join(this.#options.directory.path, "l1-contracts.json"), join(folder, "l1-contracts.json"));
        await packState(folder, file, originOf(parts.reader.identity), this.#options.signal);
        this.#options.log.info(
          { file, block: parts.chain.latestBlockNumber() },
          "saved the state of block {block} to {file}",
        );
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }

  loadState(file: string): Promise<void> {
    return this.#exclusive(async () => {
      requireAbsolute(file);
      const { anvil, keeper, directory, interval, l1, signal, log } = this.#options;
      if (anvil === undefined) throw givenL1("be replaced");
      const folder = this.#newFolder();
      try {
        const { parts } = this.#chain();
        requireOrigin(file, await unpackState(file, folder, signal), originOf(parts.reader.identity));
        await this.#restart(async () => {
          const start = () =>
            anvil.replace(() => {
              this.#swap(folder, WHOLE_STATE);
              return join(directory.path, "l1-state.json");
            });
          if (keeper !== undefined) await keeper.replace(interval, start);
          else {
            await start();
            await l1.resume(interval);
          }
        });
        log.info(
          { file, block: this.#chain().parts.chain.latestBlockNumber() },
          "loaded the state of block {block} from {file}",
        );
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }

  reset(): Promise<void> {
    return this.#exclusive(async () => {
      const { anvil, keeper, log } = this.#options;
      if (anvil === undefined) throw givenL1("begin again");
      // A paused sequencer would not mine the set-up.
      this.#chain().parts.sequencer?.resume();
      await this.#restart(async () => {
        const start = () =>
          anvil.replace(() => {
            this.#swap(this.#newFolder(), WHOLE_STATE);
            return undefined;
          });
        if (keeper === undefined) await start();
        else await keeper.renew(start);
      });
      log.info("began again with a new network");
    });
  }

  snapshot(): Promise<string> {
    return this.#exclusive(async () => {
      const id = `0x${this.#ids.toString(16)}`;
      const folder = join(this.#options.directory.path, SNAPSHOT_FOLDER, id);
      rmSync(folder, { recursive: true, force: true });
      makeFolder(folder);
      const l1 = await this.#atRest(async () => {
        await this.#copyStores(folder);
        return await this.#options.l1.snapshot();
      });
      this.#ids++;
      this.#snapshots.push({ id, l1, folder });
      return id;
    });
  }

  revert(id: string): Promise<boolean> {
    return this.#exclusive(async () => {
      const { l1, keeper, directory, log } = this.#options;
      const at = this.#snapshots.findIndex((snapshot) => snapshot.id === id);
      if (at < 0) return false;
      const snapshot = this.#snapshots[at];
      let reverted = false;
      await this.#restart(
        async () => {
          commitSwap(directory.path, snapshot.folder, NODE_STATE);
          reverted = await l1.revert(snapshot.l1);
          if (!reverted) {
            // L1 was started again meanwhile, which ends its snapshots.
            cancelSwap(directory.path, snapshot.folder);
            return;
          }
          finishStateSwap(directory.path);
          await keeper?.wentBack();
        },
        this.#snapshots.slice(0, at),
      );
      log.info(
        { id, block: this.#chain().parts.chain.latestBlockNumber(), reverted },
        "went back to snapshot {id} at block {block}",
      );
      return reverted;
    });
  }

  snapshots(): string[] {
    return this.#snapshots.map(({ id }) => id);
  }

  accounts(): Promise<LocalAccounts> {
    const { l1, testAccounts } = this.#options;
    return localAccounts(l1, this.#chain().parts, testAccounts);
  }

  giveEther(to: string, ether: number): Promise<void> {
    return this.#exclusive(() => giveEther(this.#options.l1, to, ether));
  }

  depositFeeJuice(to: Uint8Array): Promise<FeeJuiceClaim> {
    return this.#exclusive(() => depositFeeJuice(this.#options.l1, this.#chain().parts, to));
  }

  setNextBlockTimestamp(timestamp: number): Promise<void> {
    return this.#exclusive(() => this.#moveTo(timestamp));
  }

  advanceNextBlockTimestampBy(seconds: number): Promise<void> {
    return this.#exclusive(() => {
      const { chain, reader } = this.#chain().parts;
      const latest = chain.block(chain.latestBlockNumber());
      const begin = latest?.number ? Number(headerTimestamp(latest.header)) : reader.identity.constants.l1GenesisTime;
      return this.#moveTo(begin + seconds);
    });
  }

  mineBlock(): Promise<void> {
    return this.#exclusive(async () => {
      const { parts, time } = this.#chain();
      const { chain, sequencer } = parts;
      const before = chain.latestBlockNumber();
      const forbid = sequencer?.allowEmptyBlocks();
      try {
        await this.#until(
          () => chain.latestBlockNumber() > before,
          async () => {
            await time.moveToSlot((await time.nextSlot()) + 1);
          },
        );
      } finally {
        forbid?.();
      }
      await this.#until(() => chain.checkpointedBlockNumber() > before);
    });
  }

  #chain(): RunningChain {
    return this.#options.node.chain;
  }

  #newFolder(): string {
    return mkdtempSync(join(this.#options.directory.path, STATE_FOLDER));
  }

  #atRest<T>(work: () => Promise<T>): Promise<T> {
    const { parts, time } = this.#chain();
    return atRest(parts, time, work);
  }

  async #copyStores(folder: string): Promise<void> {
    const { parts } = this.#chain();
    const { signal } = this.#options;
    await Promise.all([
      parts.store.copyTo(join(folder, "chain"), signal),
      parts.mempool.store.copyTo(join(folder, "pool"), signal),
    ]);
  }

  #swap(folder: string, replaces: readonly string[]): void {
    const { directory } = this.#options;
    commitSwap(directory.path, folder, replaces);
    finishStateSwap(directory.path);
  }

  /** Replaces the state while the node is stopped. Snapshots but the given ones are gone then. */
  async #restart(replace: () => Promise<void>, kept: Snapshot[] = []): Promise<void> {
    const { node, onFatal, signal } = this.#options;
    signal.throwIfAborted();
    await node.stop();
    try {
      await replace();
      for (const { folder } of this.#snapshots.filter((snapshot) => !kept.includes(snapshot))) {
        rmSync(folder, { recursive: true, force: true });
      }
      this.#snapshots = kept;
      signal.throwIfAborted();
      await node.start();
    } catch (error) {
      if (!signal.aborted) onFatal(error as Error);
      throw error;
    }
  }

  async #moveTo(timestamp: number): Promise<void> {
    const { parts, time } = this.#chain();
    const { constants } = parts.reader.identity;
    const { l1GenesisTime, slotDuration } = constants;
    const slot = Math.max(Math.ceil((timestamp - l1GenesisTime) / slotDuration), 0);
    const least = await time.nextSlot();
    if (slot < least) {
      throw new LocalNetworkError(
        `Timestamp ${timestamp} is too early: the next block's is ${slotTimestamp(least, constants)} at least`,
      );
    }
    await time.moveToSlot(slot);
  }

  async #until(done: () => boolean, impatient: () => Promise<void> = async () => {}): Promise<void> {
    const { signal } = this.#options;
    const end = performance.now() + MINE_LIMIT_MS;
    let patient = performance.now() + MINE_PATIENCE_MS;
    while (!done()) {
      signal.throwIfAborted();
      if (performance.now() > end) throw new LocalNetworkError(`no block was mined within ${MINE_LIMIT_MS / 1000} s`);
      if (performance.now() > patient) {
        await impatient();
        patient = performance.now() + MINE_PATIENCE_MS;
      }
      await sleep(LOOK_MS);
    }
  }
}

/** A relative path would depend on where the node was started, which its clients do not know. */
function requireAbsolute(file: string): void {
  if (!isAbsolute(file)) throw new LocalNetworkError(`file must be an absolute path, not ${JSON.stringify(file)}`);
}

function givenL1(verb: string): LocalNetworkError {
  return new LocalNetworkError(
    `The L1 of --l1-rpc-urls cannot ${verb}: this needs an L1 that the network started itself`,
  );
}

interface Identity {
  l1ChainId: number;
  rollupVersion: number;
  genesisArchiveRoot: Uint8Array;
  addresses: { rollupAddress: string };
}

function originOf({ l1ChainId, rollupVersion, genesisArchiveRoot, addresses }: Identity): StateOrigin {
  return {
    l1ChainId,
    rollupVersion,
    rollupAddress: addresses.rollupAddress.toLowerCase(),
    genesisArchiveRoot: toHex(genesisArchiveRoot),
  };
}
