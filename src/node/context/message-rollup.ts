import { fromHex } from "../../protocol/bytes.ts";
import type { MessageRollup } from "../../protocol/consensus/message-rollup.ts";
import type { ChainContext } from "./chain-context.ts";

/** What messages between peers are read and signed by. */
export function messageRollup({
  chain: { generation },
  reader: { identity },
}: Pick<ChainContext, "chain" | "reader">): MessageRollup {
  const { l1ChainId, addresses } = identity;
  return { l1ChainId, rollupAddress: fromHex(addresses.rollupAddress), generation };
}
