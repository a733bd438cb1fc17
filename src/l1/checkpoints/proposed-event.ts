import { decodeEventLog, type Hex, toEventSelector } from "viem";
import { fromHex, toHex } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { rollupAbi } from "../abi/rollup.ts";
import type { L1Log } from "../rpc/answers.ts";

/** A decoded CheckpointProposed event and its log. */
export interface ProposedEvent {
  checkpointNumber: number;
  archiveRoot: Uint8Array;
  versionedBlobHashes: Uint8Array[];
  payloadDigest: Uint8Array;
  attestationsHash: Uint8Array;
  log: L1Log;
}

export const CHECKPOINT_PROPOSED_TOPIC = toEventSelector(
  rollupAbi.find((item) => item.type === "event" && item.name === "CheckpointProposed") as never,
);

/** Throws a DecodeError if the log is not a CheckpointProposed event. */
export function readProposedEvent(log: L1Log): ProposedEvent {
  const subject = `CheckpointProposed log ${log.logIndex} of L1 block ${log.blockNumber}`;
  let args: {
    checkpointNumber: bigint;
    archive: Hex;
    versionedBlobHashes: readonly Hex[];
    payloadDigest: Hex;
    attestationsHash: Hex;
  };
  try {
    const topics = log.topics.map(toHex) as [Hex, ...Hex[]];
    ({ args } = decodeEventLog({
      abi: rollupAbi,
      eventName: "CheckpointProposed",
      topics,
      data: toHex(log.data) as Hex,
    }));
  } catch (cause) {
    throw new DecodeError(subject, `must match the event's ABI, ${log.data.length} bytes of data do not`, { cause });
  }
  const checkpointNumber = Number(args.checkpointNumber);
  if (!Number.isSafeInteger(checkpointNumber)) throw new DecodeError(subject, "checkpoint number must be below 2^53");
  return {
    checkpointNumber,
    archiveRoot: fromHex(args.archive),
    versionedBlobHashes: args.versionedBlobHashes.map(fromHex),
    payloadDigest: fromHex(args.payloadDigest),
    attestationsHash: fromHex(args.attestationsHash),
    log,
  };
}

/** Upper bound: each proposal has at least one blob, and no L1 block has room for that many. */
const MOST_IN_BLOCK = 128;

/** Decodes the events of one answer and limits their number, since each causes further calls. Throws a DecodeError. */
export function readProposedEvents(logs: L1Log[]): ProposedEvent[] {
  return logs.map((log, i) => {
    if (logs[i - MOST_IN_BLOCK]?.blockNumber === log.blockNumber) {
      const rule = `must be ${MOST_IN_BLOCK} in a block at most, got more in L1 block ${log.blockNumber}`;
      throw new DecodeError("CheckpointProposed logs", rule);
    }
    return readProposedEvent(log);
  });
}
