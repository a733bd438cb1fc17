import { toEventSelector } from "viem";
import { equal, fromHex, readBigUint } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { AbiWords } from "../abi/abi-words.ts";
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
const TOPIC = fromHex(CHECKPOINT_PROPOSED_TOPIC);

/** Throws a DecodeError if the log is not a CheckpointProposed event. */
export function readProposedEvent(log: L1Log): ProposedEvent {
  const subject = `CheckpointProposed log ${log.logIndex} of L1 block ${log.blockNumber}`;
  const [topic, number, archiveRoot] = log.topics;
  if (log.topics.length !== 3 || !equal(topic, TOPIC))
    throw new DecodeError(
      subject,
      `must have the event's topic and two indexed values, got ${log.topics.length} topics`,
    );
  const checkpointNumber = Number(readBigUint(number));
  if (!Number.isSafeInteger(checkpointNumber)) throw new DecodeError(subject, "checkpoint number must be below 2^53");
  const data = new AbiWords(subject, log.data);
  return {
    checkpointNumber,
    archiveRoot,
    versionedBlobHashes: data.wordArray(0),
    payloadDigest: data.word(1),
    attestationsHash: data.word(2),
    log,
  };
}

/** Upper bound: each proposal has at least one blob, and no L1 block has room for that many. */
const MAX_IN_BLOCK = 128;

/** Decodes the events of one answer and limits their number, since each causes further calls. Throws a DecodeError. */
export function readProposedEvents(logs: L1Log[]): ProposedEvent[] {
  return logs.map((log, i) => {
    if (logs[i - MAX_IN_BLOCK]?.blockNumber === log.blockNumber) {
      const rule = `must be ${MAX_IN_BLOCK} in a block at most, got more in L1 block ${log.blockNumber}`;
      throw new DecodeError("CheckpointProposed logs", rule);
    }
    return readProposedEvent(log);
  });
}
