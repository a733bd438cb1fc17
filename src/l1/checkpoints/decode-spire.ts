import { decodeFunctionData, type Hex } from "viem";
import { fromHex, toHex } from "../../protocol/bytes.ts";
import {
  IMPLEMENTATION_SLOT,
  SPIRE_IMPLEMENTATION_ADDRESS,
  SPIRE_PROPOSER_ADDRESS,
  spireProposerAbi,
} from "../abi/spire.ts";
import { bytes } from "../rpc/answers.ts";
import { directDecoder } from "./decode-direct.ts";
import { multicall3Decoder } from "./decode-multicall3.ts";
import type { ProposeDecoder } from "./decoder.ts";

/** The transaction calls the Spire proposer proxy. Only the known implementation of the proxy is accepted. */
export const spireDecoder: ProposeDecoder = {
  name: "Spire proposer",
  async candidates({ hash, to, input }, context) {
    if (to !== SPIRE_PROPOSER_ADDRESS) return [];
    const slot = await context.rpc.request({
      method: "eth_getStorageAt",
      params: [SPIRE_PROPOSER_ADDRESS, IMPLEMENTATION_SLOT, "latest"],
      parse: (value) => bytes(value, "storage word", 32),
    });
    if (toHex(slot.subarray(12)) !== SPIRE_IMPLEMENTATION_ADDRESS) return [];
    let calls: readonly { target: string; data: Hex }[];
    try {
      [calls] = decodeFunctionData({ abi: spireProposerAbi, data: toHex(input) as Hex }).args;
    } catch {
      return [];
    }
    const candidates: Uint8Array[] = [];
    for (const { target, data } of calls) {
      const inner = { hash, to: target.toLowerCase(), input: fromHex(data) };
      candidates.push(...(await multicall3Decoder.candidates(inner, context)));
      candidates.push(...(await directDecoder.candidates(inner, context)));
    }
    return candidates;
  },
};
