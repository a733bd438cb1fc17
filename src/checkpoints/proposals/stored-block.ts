import { contractEvents } from "../../archiver/contract-events.ts";
import type { ChainReader } from "../../archiver/types.ts";
import { readTxEffects } from "../../protocol/tx-effect.ts";
import type { BuildServices, ProposedBlock } from "../checkpoint-terms.ts";

/** A block of the chain with its transactions, in the form of a built one. The block must be there. */
export function storedBlock(
  chain: Pick<ChainReader, "block" | "blockBody">,
  number: number,
  { core, generation }: Pick<BuildServices, "core" | "generation">,
): ProposedBlock {
  const record = chain.block(number)!;
  const body = Uint8Array.from(chain.blockBody(number)!);
  const txs = readTxEffects(body);
  return { record, body, txs, contractEvents: contractEvents(txs, core, generation.contracts) };
}
