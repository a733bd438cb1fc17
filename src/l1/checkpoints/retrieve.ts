import { mapParallel } from "../../events/parallel.ts";
import { equal, fromHex, toHex } from "../../protocol/bytes.ts";
import { checkpointSlot } from "../../protocol/checkpoint-header.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { type L1Constants, slotAt } from "../../protocol/time.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { rollupAbi } from "../abi/rollup.ts";
import { type Contract, read } from "../contracts/contract.ts";
import { L1ReorgError, L1TransactionMissingError } from "../errors.ts";
import { blockAt, type L1Transaction, transaction } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { getLogs } from "../rpc/logs.ts";
import type { L1Block, ProposedCheckpoint } from "../types.ts";
import { findProposeCall } from "./find-propose-call.ts";
import { CHECKPOINT_PROPOSED_TOPIC, type ProposedEvent, readProposedEvents } from "./proposed-event.ts";

export interface RetrieveContext {
  /** Of the rollup. */
  generation: Generation;
  l1ChainId: number;
  rpc: L1Rpc;
  debugRpc: L1Rpc;
  rollupAddress: string;
  committeeSize: number;
  constants: Pick<L1Constants, "l1GenesisTime" | "slotDuration">;
  logger: Logger;
}

/** Checkpoints read concurrently. */
const WIDTH = 10;
/** Archive roots read concurrently: one JSON-RPC batch. */
const ARCHIVES_WIDTH = 50;

export function archiveAt(rpc: L1Rpc, rollup: Contract<typeof rollupAbi>, checkpoint: number): Promise<Uint8Array> {
  return read(rpc, rollup, "archiveAt", [BigInt(checkpoint)]).then(fromHex);
}

/**
 * Checkpoints proposed in an L1 block range (inclusive) that the rollup still holds, in L1 order
 * (docs/protocol/04-l1-contracts.md#48-finding-the-calldata).
 */
export async function retrieveCheckpoints(
  context: RetrieveContext,
  fromBlock: number,
  toBlock: number,
): Promise<ProposedCheckpoint[]> {
  const { rpc, rollupAddress } = context;
  const topics = [CHECKPOINT_PROPOSED_TOPIC];
  const events = await getLogs(rpc, { address: rollupAddress, topics, fromBlock, toBlock }, readProposedEvents);
  const asked = new AskedOnce(context);
  const standing = await stillOnL1(context, events);
  return mapParallel(standing, WIDTH, (event) => retrieveCheckpoint(context, event, asked));
}

/** The events whose checkpoint is still on the rollup with the same archive root. */
async function stillOnL1(
  { rpc, rollupAddress, logger }: RetrieveContext,
  events: readonly ProposedEvent[],
): Promise<ProposedEvent[]> {
  const rollup = { name: "Rollup", address: rollupAddress, abi: rollupAbi };
  const numbers = [...new Set(events.map(({ checkpointNumber }) => checkpointNumber))];
  const archives = await mapParallel(numbers, ARCHIVES_WIDTH, (number) => archiveAt(rpc, rollup, number));
  const archiveOf = new Map(numbers.map((number, i) => [number, archives[i]]));
  const stands = (event: ProposedEvent) => equal(archiveOf.get(event.checkpointNumber)!, event.archiveRoot);
  const gone = events.filter((event) => !stands(event));
  if (gone.length > 0) {
    const [{ checkpointNumber, archiveRoot, log }] = gone;
    logger.warn(
      {
        checkpointNumber,
        archive: toHex(archiveRoot),
        archiveOnL1: toHex(archiveOf.get(checkpointNumber)!),
        l1BlockNumber: log.blockNumber,
        others: gone.length - 1,
      },
      "proposed checkpoint is no longer on L1, leaving it out",
    );
  }
  return events.filter(stands);
}

/** Caches blocks and transactions, since several events of one answer may refer to the same ones. */
class AskedOnce {
  readonly #rpc: L1Rpc;
  readonly #blocks = new Map<number, Promise<L1Block | undefined>>();
  readonly #transactions = new Map<string, Promise<L1Transaction | undefined>>();

  constructor({ rpc }: RetrieveContext) {
    this.#rpc = rpc;
  }

  block(number: number): Promise<L1Block | undefined> {
    const params = [`0x${number.toString(16)}`, false];
    const call = { method: "eth_getBlockByNumber", params, parse: blockAt(number) };
    return once(this.#blocks, number, () => this.#rpc.request(call));
  }

  transaction(hash: string): Promise<L1Transaction | undefined> {
    const call = { method: "eth_getTransactionByHash", params: [hash], parse: transaction };
    return once(this.#transactions, hash, () => this.#rpc.request(call));
  }
}

function once<K, T>(answers: Map<K, Promise<T>>, key: K, ask: () => Promise<T>): Promise<T> {
  const answer = answers.get(key) ?? ask();
  answers.set(key, answer);
  return answer;
}

async function retrieveCheckpoint(
  context: RetrieveContext,
  event: ProposedEvent,
  asked: AskedOnce,
): Promise<ProposedCheckpoint> {
  const { log, checkpointNumber } = event;
  const transactionHash = toHex(log.transactionHash);
  const [tx, l1] = await Promise.all([asked.transaction(transactionHash), blockOfLog(asked, event)]);
  if (!tx) {
    throw new L1TransactionMissingError(
      `L1 block ${l1.number} is there, but not its transaction ${transactionHash} of checkpoint ${checkpointNumber}`,
    );
  }
  if (tx.blockHash !== undefined && !equal(tx.blockHash, log.blockHash)) {
    throw new L1ReorgError(`transaction ${transactionHash} of checkpoint ${checkpointNumber} is in another L1 block`);
  }
  const call = await findProposeCall(tx, event, context);
  const { feeAssetPriceModifier, header, attestations, unusedBits, blobCommitments } = call;
  checkSlot(header, l1, event, context);
  return {
    checkpointNumber,
    archiveRoot: event.archiveRoot,
    header,
    feeAssetPriceModifier,
    attestations,
    unusedBits,
    payloadDigest: event.payloadDigest,
    versionedBlobHashes: event.versionedBlobHashes,
    blobCommitments,
    l1,
    transactionHash: log.transactionHash,
  };
}

/**
 * The rollup accepts a proposal only in an L1 block of its slot. Throws an L1ReorgError otherwise: block and proposal
 * are from different forks.
 */
function checkSlot(header: Uint8Array, l1: L1Block, event: ProposedEvent, { constants }: RetrieveContext): void {
  const slot = slotAt(l1.timestamp, constants);
  if (slot === checkpointSlot(header)) return;
  throw new L1ReorgError(
    `L1 block ${l1.number} of checkpoint ${event.checkpointNumber} is in slot ${slot}, the proposal is for slot ${checkpointSlot(header)}`,
  );
}

async function blockOfLog(asked: AskedOnce, { log, checkpointNumber }: ProposedEvent): Promise<L1Block> {
  const found = await asked.block(log.blockNumber);
  if (!found || !equal(found.hash, log.blockHash)) {
    throw new L1ReorgError(
      `L1 block ${log.blockNumber} of checkpoint ${checkpointNumber} was replaced while it was read`,
    );
  }
  return { number: found.number, hash: found.hash, timestamp: found.timestamp };
}
