import type { MessageRollup } from "../../../src/protocol/consensus/message-rollup.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";

/** A rollup of v4, whose messages do not name it. */
export const V4_ROLLUP: MessageRollup = { generation: V4, l1ChainId: 1, rollupAddress: new Uint8Array(20) };
