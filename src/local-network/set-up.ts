import { setTimeout as sleep } from "node:timers/promises";
import type { ChainStore } from "../archiver/chain-store.ts";
import { ContentStore } from "../archiver/content-store.ts";
import { OperatorError } from "../errors/operator-error.ts";
import type { FeeReader, RollupIdentity } from "../l1/types.ts";
import type { TxPool } from "../mempool/pool/tx-pool.ts";
import type { TxValidator } from "../mempool/validation/tx-validator.ts";
import { fromHex } from "../protocol/bytes.ts";
import { fr } from "../protocol/field.ts";
import type { Tx } from "../protocol/tx/tx.ts";
import { BANANA_FEE_CONTRACT, setUpTxs } from "../recorded-txs/set-up-txs.ts";
import type { Store } from "../storage/store.ts";

/** The accounts and contracts of a local network could not be created. */
class SetUpError extends OperatorError {
  override readonly errorCode: string = "local-network-set-up";

  /** Number of the block that should have contained the failed step. */
  readonly block: number;
  readonly reason: string;

  constructor(block: number, reason: string) {
    super(`block ${block} of the set-up was not mined: ${reason}`);
    this.name = "SetUpError";
    this.block = block;
    this.reason = reason;
  }
}

export interface SetUpParts {
  store: Store;
  chain: ChainStore;
  identity: RollupIdentity;
  fees: FeeReader;
  pool: TxPool;
  validator: Pick<TxValidator, "fromClient">;
  /** The chain's time in Unix milliseconds. */
  now(): number;
  onBlock(done: number, of: number): void;
  signal: AbortSignal;
}

/** Set-up txs by block (docs/protocol/08-building-and-checkpoints.md#828-local-network). */
const BLOCKS = [[0], [1], [2], [3, 4]] as const;
/** Milliseconds of real time. */
const BLOCK_LIMIT_MS = 60_000;
const LOOK_MS = 10;
const LIFETIME_S = 3600n;
const CLIENT = { isSimulation: false, skipFeeEnforcement: false };
/** The set-up offers this multiple of the min fee, so that a rising fee does not block it. */
const FEE_FACTOR = 4n;

/**
 * Sends the transactions that create the test accounts, the token and its fee contract through the same checks as a
 * wallet's, and waits for their blocks. Skips what an earlier start has done. Throws SetUpError or the reason of
 * `signal`.
 */
export async function setUp(parts: SetUpParts): Promise<void> {
  const { store, chain, identity, fees, pool, now, onBlock, signal } = parts;
  const content = new ContentStore({ store, chain });
  const deployed = (): boolean => content.contractInstance(fromHex(BANANA_FEE_CONTRACT)) !== undefined;
  if (deployed()) return;
  const genesis = chain.block(0);
  if (genesis === undefined) throw new SetUpError(1, "the chain has no genesis");
  const asked = await fees.currentMinFees();
  const txs = setUpTxs({
    anchor: genesis.header,
    chainId: fr(identity.l1ChainId),
    version: fr(identity.rollupVersion),
    expirationTimestamp: BigInt(Math.floor(now() / 1000)) + LIFETIME_S,
    maxFeesPerGas: {
      feePerDaGas: asked.feePerDaGas * FEE_FACTOR,
      feePerL2Gas: asked.feePerL2Gas * FEE_FACTOR,
    },
  });
  const built = (): boolean => pool.pendingCount === 0;
  const published = (): boolean => chain.latestBlockNumber() === chain.checkpointedBlockNumber();
  for (const [i, members] of BLOCKS.entries()) {
    const block = members.map((index) => txs[index]);
    const refused = await submitTogether(parts, block);
    const isLast = i === BLOCKS.length - 1;
    // A block that is not published in time is built again, and would take in the next one's txs.
    for (const end = performance.now() + BLOCK_LIMIT_MS; !built() || !(isLast || published()); ) {
      if (performance.now() > end) throw new SetUpError(i + 1, `not within ${BLOCK_LIMIT_MS / 1000} s`);
      await sleep(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
    if (isLast && !deployed()) {
      throw new SetUpError(i + 1, refused ?? "its transactions were dropped");
    }
    onBlock(i + 1, BLOCKS.length);
  }
}

/**
 * Adds txs to the pool in one step, so that one block includes all of them. Returns why one was rejected: an earlier
 * start may have had it mined.
 */
async function submitTogether({ validator, pool }: SetUpParts, txs: readonly Tx[]): Promise<string | undefined> {
  const checked = await Promise.all(txs.map((tx) => validator.fromClient(tx, CLIENT)));
  const invalid = checked.flatMap(({ verdict }) => (verdict.result === "valid" ? [] : verdict.reason));
  const valid = checked.filter(({ verdict }) => verdict.result === "valid");
  const admissions = pool.add(
    valid.map(({ facts }) => facts),
    { by: "fee", bumpPercentage: 0n },
  );
  const refusals = admissions.flatMap(({ reason }) => (reason === undefined ? [] : [reason.message]));
  const reasons = [...invalid, ...refusals];
  return reasons.length === 0 ? undefined : reasons.join(", ");
}
