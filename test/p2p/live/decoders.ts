import type { Topic } from "../../../src/p2p/gossip/publisher.ts";
import type { MessageWrapper } from "../../../src/p2p/gossip/topic.ts";
import { concat, readU32, writeU32 } from "../../../src/protocol/bytes.ts";
import { DecodeError } from "../../../src/protocol/errors.ts";
import { txFromBytes } from "../../../src/protocol/tx/tx-bytes.ts";

export const wrapper: MessageWrapper = {
  wrap(payload) {
    const length = new Uint8Array(4);
    writeU32(length, 0, payload.length);
    return concat(length, payload);
  },
  unwrap(message) {
    if (message.length < 4 || 4 + readU32(message, 0) > message.length) throw new DecodeError("message", "cut off");
    return message.subarray(4, 4 + readU32(message, 0));
  },
};

export const decoders: Record<Topic, (payload: Uint8Array) => unknown> = {
  tx: (payload) => txFromBytes(payload),
  block_proposal: () => undefined,
  checkpoint_proposal: () => undefined,
  checkpoint_attestation: () => undefined,
};
