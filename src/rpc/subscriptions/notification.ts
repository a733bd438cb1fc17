import { encodeBlock, type ShownBlock } from "../codecs/development/block.ts";
import { LOG_MEMBERS, writeLogMembers } from "../codecs/development/logs.ts";
import { type Encoder, encoder } from "../codecs/json/encoder.ts";
import { about, type JsonSchema, listOf, oneOfWords, record, TEXT } from "../codecs/json/json-schema.ts";
import { JsonWriter } from "../codecs/json/json-writer.ts";
import { BLOCK_HASH, BLOCK_NUMBER, L2_ADDRESS, TX_HASH } from "../codecs/json/scalars.ts";
import { encodeTips } from "../codecs/release/tips.ts";
import type { BlockLog } from "./block-logs.ts";
import type { BlockRef } from "./chain-cursor.ts";

/** The method that notifications name. */
export const NOTIFICATION = "svc_subscription";

const BLOCK_REF = record("BlockRef", "A block by number and hash.", { number: BLOCK_NUMBER, hash: BLOCK_HASH });

function writeRef(out: JsonWriter, { number, hash }: BlockRef): void {
  out.text(`{"number":${number},"hash":`).word(hash).text("}");
}

const of = (type: string): JsonSchema => ({ const: type });

export const encodeTipsEvent = encoder<Parameters<typeof encodeTips>[1]>(
  record("TipsEvent", "The chain has these tips now.", { type: of("tips"), tips: encodeTips.schema }),
  (out, tips) => {
    out.text('{"type":"tips","tips":');
    encodeTips(out, tips);
    out.text("}");
  },
);

interface Reorg {
  ancestor: BlockRef;
  old: BlockRef;
  new: BlockRef;
}

export const encodeReorgEvent = encoder<Reorg>(
  record("ReorgEvent", "Blocks were removed: all that the subscriber had above the ancestor.", {
    type: of("reorg"),
    ancestor: about(BLOCK_REF, "The last block that stays, or one below it after a resumption."),
    old: about(BLOCK_REF, "The last block that the subscriber had."),
    new: about(BLOCK_REF, "The last block of the chain now."),
  }),
  (out, reorg) => {
    writeRef(out.text('{"type":"reorg","ancestor":'), reorg.ancestor);
    writeRef(out.text(',"old":'), reorg.old);
    writeRef(out.text(',"new":'), reorg.new);
    out.text("}");
  },
);

export const encodeBlockEvent = encoder<ShownBlock>(
  record("BlockEvent", "The next block.", { type: of("block"), block: encodeBlock.schema }),
  (out, block) => {
    out.text('{"type":"block","block":');
    encodeBlock(out, block);
    out.text("}");
  },
);

interface FoundLogs {
  block: BlockRef;
  logs: readonly BlockLog[];
  includeEffects: boolean;
}

const [ALWAYS, ASKED_FOR] = LOG_MEMBERS;
const SUBSCRIBED_LOG = record("SubscribedLog", "A log that matches a subscription.", ALWAYS, {
  ...ASKED_FOR,
  contractAddress: about(L2_ADDRESS, "The contract that emitted it; of public logs."),
});

export const encodeLogsEvent = encoder<FoundLogs>(
  record("LogsEvent", "A block with logs that match.", {
    type: of("logs"),
    block: BLOCK_REF,
    logs: about(listOf(SUBSCRIBED_LOG), "All that match in the block, by transaction and log, ascending."),
  }),
  (out, { block, logs, includeEffects }) => {
    writeRef(out.text('{"type":"logs","block":'), block);
    out.text(',"logs":').array(logs, (item, log) => {
      writeLogMembers(item.text("{"), log, includeEffects);
      if (log.contractAddress !== undefined) item.text(',"contractAddress":').word(log.contractAddress);
      item.text("}");
    });
    out.text("}");
  },
);

const TX_STATUSES = ["dropped", "pending", "proposed", "checkpointed", "proven", "finalized"] as const;
export type TxStatus = (typeof TX_STATUSES)[number];

export interface TxState {
  txHash: Uint8Array;
  status: TxStatus;
  block: BlockRef | undefined;
}

export const encodeTransactionEvent = encoder<TxState>(
  record(
    "TransactionEvent",
    "What became of a transaction.",
    {
      type: of("transaction"),
      txHash: TX_HASH,
      status: oneOfWords(TX_STATUSES, "Dropped also stands for one that the node does not know."),
    },
    { block: about(BLOCK_REF, "The block that it is in.") },
  ),
  (out, { txHash, status, block }) => {
    out.text('{"type":"transaction","txHash":').word(txHash).text(`,"status":"${status}"`);
    if (block !== undefined) writeRef(out.text(',"block":'), block);
    out.text("}");
  },
);

export const encodePendingEvent = encoder<{ added: readonly Uint8Array[]; removed: readonly Uint8Array[] }>(
  record("PendingTransactionsEvent", "Transactions became pending or stopped being so.", {
    type: of("pendingTransactions"),
    added: about(listOf(TX_HASH), "Pending now."),
    removed: about(listOf(TX_HASH), "No longer pending: in a block, in a proposal, or gone."),
  }),
  (out, { added, removed }) => {
    out.text('{"type":"pendingTransactions","added":').array(added, (item, hash) => void item.word(hash));
    out.text(',"removed":').array(removed, (item, hash) => void item.word(hash));
    out.text("}");
  },
);

/** Params of the notification, for the API description. */
export const NOTIFICATION_PARAMS = record(
  "SubscriptionNotification",
  "An event of a subscription.",
  {
    subscription: about(TEXT, "Which subscription, as svc_subscribe named it."),
    event: about(
      {
        anyOf: [
          encodeTipsEvent,
          encodeReorgEvent,
          encodeBlockEvent,
          encodeLogsEvent,
          encodeTransactionEvent,
          encodePendingEvent,
        ].map(({ schema }) => schema),
      },
      "What happened.",
    ),
  },
  { cursor: about(TEXT, "Resumes after this event; not of events about one transaction.") },
);

const out = new JsonWriter();

/** Text of a notification, in a buffer of its own. Ids and cursors hold nothing that JSON escapes. */
export function notification<E>(
  subscription: string,
  cursor: string | undefined,
  encode: Encoder<E>,
  event: E,
): Uint8Array {
  try {
    out.text(`{"jsonrpc":"2.0","method":"${NOTIFICATION}","params":{"subscription":"${subscription}"`);
    if (cursor !== undefined) out.text(`,"cursor":"${cursor}"`);
    encode(out.text(',"event":'), event);
    return out.text("}}").take();
  } catch (error) {
    out.rewind(0);
    throw error;
  }
}
