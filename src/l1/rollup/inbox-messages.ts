import { decodeEventLog, type Hex, toEventSelector } from "viem";
import { fromHex, toHex } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { inboxAbi } from "../abi/inbox.ts";
import type { L1Log } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { getLogs } from "../rpc/logs.ts";
import type { InboxMessage } from "../types.ts";

const MESSAGE_SENT_TOPIC = toEventSelector(
  inboxAbi.find((item) => item.type === "event" && item.name === "MessageSent") as never,
);

/** Throws a DecodeError if the log is not a MessageSent event of the inbox. */
export function readInboxMessage(log: L1Log): InboxMessage {
  const subject = `MessageSent log ${log.logIndex} of L1 block ${log.blockNumber}`;
  if (log.data.length !== 64) throw new DecodeError(subject, `must carry 64 bytes of data, got ${log.data.length}`);
  let args: { checkpointNumber: bigint; index: bigint; hash: Hex; rollingHash: Hex };
  try {
    const topics = log.topics.map(toHex) as [Hex, ...Hex[]];
    ({ args } = decodeEventLog({ abi: inboxAbi, eventName: "MessageSent", topics, data: toHex(log.data) as Hex }));
  } catch (cause) {
    throw new DecodeError(subject, `must match the event's ABI, ${log.data.length} bytes of data do not`, { cause });
  }
  const checkpointNumber = Number(args.checkpointNumber);
  const index = Number(args.index);
  if (!Number.isSafeInteger(checkpointNumber) || !Number.isSafeInteger(index)) {
    throw new DecodeError(subject, "checkpoint number and index must be below 2^53");
  }
  return {
    checkpointNumber,
    index,
    leaf: fromHex(args.hash),
    rollingHash: fromHex(args.rollingHash),
    l1BlockNumber: log.blockNumber,
    l1BlockHash: log.blockHash,
  };
}

/**
 * Messages sent in an L1 block range (inclusive), in L1 order (docs/protocol/04-l1-contracts.md#413-inbox). With
 * `leaf`, only that message.
 */
export function retrieveMessages(
  rpc: L1Rpc,
  inboxAddress: string,
  range: { fromBlock: number; toBlock: number },
  leaf?: Uint8Array,
): Promise<InboxMessage[]> {
  const topics = leaf ? [MESSAGE_SENT_TOPIC, null, toHex(leaf)] : [MESSAGE_SENT_TOPIC];
  return getLogs(rpc, { address: inboxAddress, topics, ...range }, (logs) => logs.map(readInboxMessage));
}
