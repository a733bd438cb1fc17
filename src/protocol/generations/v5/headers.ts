import type { HeaderRules } from "../headers.ts";

/** The sum of the blocks' transaction fees comes last (docs/protocol/03-blocks-and-blobs.md#35-checkpoint-header). */
export const HEADERS = { checkpointBytes: 348, accumulatedFeesAt: 316 } as const satisfies HeaderRules;
