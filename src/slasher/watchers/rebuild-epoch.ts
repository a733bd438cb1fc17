import type { RemovedBlock } from "../../archiver/types.ts";
import { CheckpointBuilder } from "../../checkpoints/checkpoint-builder.ts";
import type { BuildServices } from "../../checkpoints/checkpoint-terms.ts";
import { NO_KZG, termsOfHeader } from "../../checkpoints/compose-block-header.ts";
import type { HashedTx } from "../../execution/executed-tx.ts";
import { headerSpongeHash } from "../../protocol/block-header.ts";
import { equal, toHex } from "../../protocol/bytes.ts";
import type { Fr } from "../../protocol/field.ts";
import { REVERTED } from "../../protocol/revert-code.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import { EarlierContracts } from "./earlier-contracts.ts";

export interface RebuildServices {
  /** No checkpoint is completed, so no KZG commitments are needed. */
  build: Omit<BuildServices, "kzg">;
  chainId: number;
  version: number;
  rollupManaLimit: number;
  pool: { get(hash: Fr): Tx | undefined; hasTx(hash: Fr): boolean };
  /** L1-to-L2 messages of a checkpoint. */
  messages(checkpointNumber: number): Fr[];
}

export type RebuildResult =
  /** Executing the blocks again gives the same archive roots, and they can be proven. */
  | { kind: "valid" }
  /** 32 bytes each. */
  | { kind: "missing-txs"; missing: Fr[] }
  | { kind: "invalid"; reason: string };

/**
 * Executes removed blocks again on the state before them, with transactions of the pool only. `blocks` are those of
 * whole checkpoints in ascending order, and the first follows a stored block. Rejects with the errors of
 * CheckpointBuilder and with the signal's reason. It yields to the event loop between txs.
 */
export async function rebuildEpoch(
  services: RebuildServices,
  blocks: readonly RemovedBlock[],
  signal: AbortSignal,
): Promise<RebuildResult> {
  const { build, pool } = services;
  const missing = blocks.flatMap(({ txHashes }) => txHashes).filter((hash) => !pool.hasTx(hash));
  if (missing.length > 0) return { kind: "missing-txs", missing };
  if (blocks.length === 0) return { kind: "valid" };
  const contracts = new EarlierContracts(build.contracts, build.generation.contracts);
  // One fork for all checkpoints: each is built on the state that the one before left.
  const fork = build.world.fork(blocks[0].number - 1);
  try {
    for (const checkpoint of byCheckpoint(blocks)) {
      const shared = { ...build, kzg: NO_KZG, contracts, world: { fork: () => fork } };
      const fault = await rebuildCheckpoint(services, shared, { blocks: checkpoint, contracts, signal });
      if (fault !== undefined) return { kind: "invalid", reason: fault };
    }
    return { kind: "valid" };
  } finally {
    fork.invalidate();
  }
}

/** Returns why the blocks could not have been proven; undefined if they could. */
async function rebuildCheckpoint(
  { messages, pool, chainId, version, rollupManaLimit }: RebuildServices,
  services: BuildServices,
  { blocks, contracts, signal }: { blocks: readonly RemovedBlock[]; contracts: EarlierContracts; signal: AbortSignal },
): Promise<string | undefined> {
  const [first] = blocks;
  const leaves = messages(first.checkpointNumber);
  const terms = termsOfHeader(first.header, {
    ...{ checkpointNumber: first.checkpointNumber, parentBlock: first.number - 1 },
    ...{ chainId, version, limits: { rollupManaLimit } },
  });
  const builder = await CheckpointBuilder.start(services, terms, leaves, []);
  for (const { number, header, txHashes, archiveRoot } of blocks) {
    signal.throwIfAborted();
    const txs = txHashes.map((hash) => new PooledTx(pool, hash));
    const { block, unprocessable, failed } = await builder.buildBlock(txs, {
      mode: "reexecute",
      minValidTxs: txs.length,
      proposedSpongeHash: headerSpongeHash(header),
    });
    const [bad] = [...unprocessable, ...failed];
    if (bad !== undefined) return `tx ${toHex(bad.hash)} of block ${number} failed: ${bad.reason}`;
    if (block === undefined) return `block ${number} could not be built`;
    if (!equal(block.record.archiveRoot, archiveRoot)) return `block ${number} gives another archive root`;
    const unprovable = block.txs.find(({ revertCode }) => revertCode > REVERTED);
    if (unprovable !== undefined) {
      return `tx ${toHex(unprovable.txHash)} of block ${number} has revert code ${unprovable.revertCode}, which no circuit proves`;
    }
    for (const effect of block.txs) contracts.add(effect, number);
  }
  return undefined;
}

function byCheckpoint(blocks: readonly RemovedBlock[]): RemovedBlock[][] {
  return [...Map.groupBy(blocks, ({ checkpointNumber }) => checkpointNumber).values()];
}

/** A tx of the pool whose body is read only when it is executed. */
class PooledTx implements HashedTx {
  readonly hash: Fr;
  readonly #pool: RebuildServices["pool"];

  constructor(pool: RebuildServices["pool"], hash: Fr) {
    this.#pool = pool;
    this.hash = hash;
  }

  get tx(): Tx {
    const tx = this.#pool.get(this.hash);
    if (tx === undefined) throw new RangeError(`tx ${toHex(this.hash)} left the pool while its block was rebuilt`);
    return tx;
  }
}
