import { l2ToL1MessageHash } from "../../core/derive/message.ts";
import { concat } from "../../protocol/bytes.ts";
import { shaPair, unbalancedRoot } from "../../protocol/sha-trees.ts";
import type { L2ToL1Message } from "../../protocol/tx/accumulated-data.ts";
import { items } from "../../protocol/tx-effect.ts";
import type { GlobalVariables } from "./layouts/values.ts";

/** Leaves of a tx's messages to L1, back to back. */
export function messageLeaves(
  messages: readonly L2ToL1Message[],
  { chainId, version }: Pick<GlobalVariables, "chainId" | "version">,
): Uint8Array {
  return concat(
    ...messages.map(({ contractAddress, recipient, content }) =>
      l2ToL1MessageHash({ sender: contractAddress, rollupVersion: version, recipient, chainId, content }),
    ),
  );
}

/** Out hash of a tx with these leaves: zero if there are none. */
export function txOutHash(leaves: Uint8Array): Uint8Array {
  return unbalancedRoot(items(leaves), false, shaPair);
}
