import { equal, fromHex, toHex } from "../../protocol/bytes.ts";
import { rollupAbi } from "../abi/rollup.ts";
import { type Contract, read } from "../contracts/contract.ts";
import { L1ReorgError } from "../errors.ts";
import type { L1Logger } from "../logger.ts";
import { mapParallel } from "../parallel.ts";
import { block, transaction } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { getLogs } from "../rpc/logs.ts";
import type { L1Block, ProposedCheckpoint } from "../types.ts";
import { findProposeCall } from "./find-propose-call.ts";
import { CHECKPOINT_PROPOSED_TOPIC, type ProposedEvent, readProposedEvent } from "./proposed-event.ts";

export interface RetrieveContext {
  rpc: L1Rpc;
  debugRpc: L1Rpc;
  rollupAddress: string;
  committeeSize: number;
  logger: L1Logger;
}

/** Checkpoints read at the same time. */
const WIDTH = 10;

export function archiveAt(rpc: L1Rpc, rollup: Contract<typeof rollupAbi>, checkpoint: number): Promise<Uint8Array> {
  return read(rpc, rollup, "archiveAt", [BigInt(checkpoint)]).then(fromHex);
}

/** Checkpoints proposed in an L1 block range (inclusive) that the rollup still holds, in L1 order (sheet 04 section 3.2). */
export async function retrieveCheckpoints(
  context: RetrieveContext,
  fromBlock: number,
  toBlock: number,
): Promise<ProposedCheckpoint[]> {
  const { rpc, rollupAddress } = context;
  const topics = [CHECKPOINT_PROPOSED_TOPIC];
  const events = await getLogs(rpc, { address: rollupAddress, topics, fromBlock, toBlock }, readProposedEvent);
  const checkpoints = await mapParallel(events, WIDTH, (event) => retrieveCheckpoint(context, event));
  return checkpoints.filter((checkpoint) => checkpoint !== undefined);
}

async function retrieveCheckpoint(
  context: RetrieveContext,
  event: ProposedEvent,
): Promise<ProposedCheckpoint | undefined> {
  const { rpc, rollupAddress, logger } = context;
  const { log, checkpointNumber } = event;
  const rollup = { name: "Rollup", address: rollupAddress, abi: rollupAbi };
  const transactionHash = toHex(log.transactionHash);
  // Asked together so that they share a batch; the transaction of a replaced checkpoint is then read for nothing, which is rare.
  const [archive, tx, l1] = await Promise.all([
    archiveAt(rpc, rollup, checkpointNumber),
    rpc.request({ method: "eth_getTransactionByHash", params: [transactionHash], parse: transaction }),
    blockOfLog(rpc, event),
  ]);
  if (!equal(archive, event.archiveRoot)) {
    logger.warn(
      {
        checkpointNumber,
        archive: toHex(event.archiveRoot),
        archiveOnL1: toHex(archive),
        l1BlockNumber: log.blockNumber,
      },
      "proposed checkpoint is no longer on L1, leaving it out",
    );
    return undefined;
  }
  if (!tx) throw new L1ReorgError(`transaction ${transactionHash} of checkpoint ${checkpointNumber} is gone`);
  const { feeAssetPriceModifier, header, attestations } = await findProposeCall(tx, event, context);
  return {
    checkpointNumber,
    archiveRoot: event.archiveRoot,
    header,
    feeAssetPriceModifier,
    attestations,
    payloadDigest: event.payloadDigest,
    versionedBlobHashes: event.versionedBlobHashes,
    l1,
    transactionHash: log.transactionHash,
  };
}

async function blockOfLog(rpc: L1Rpc, { log, checkpointNumber }: ProposedEvent): Promise<L1Block> {
  const params = [`0x${log.blockNumber.toString(16)}`, false];
  const found = await rpc.request({ method: "eth_getBlockByNumber", params, parse: block });
  if (!found || !equal(found.hash, log.blockHash)) {
    throw new L1ReorgError(
      `L1 block ${log.blockNumber} of checkpoint ${checkpointNumber} was replaced while it was read`,
    );
  }
  return { number: found.number, hash: found.hash, timestamp: found.timestamp };
}
