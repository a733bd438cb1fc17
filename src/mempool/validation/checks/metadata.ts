import { equal, readBigUint, toHex } from "../../../protocol/bytes.ts";
import { TX_DATA_AT } from "../../../protocol/tx/kernel-output.ts";
import { REASON, reasonWith } from "../../../protocol/tx/refusal-reasons.ts";
import { invalid, VALID, type Verdict } from "../../../protocol/tx/verdict.ts";
import type { TxFacts } from "../../digest/tx-facts.ts";
import type { CheckContext, Network } from "./context.ts";

const number = (field: Uint8Array): string => String(readBigUint(field));

const RULES: readonly { at: number; wanted: keyof Network; reason: string; text: (field: Uint8Array) => string }[] = [
  { at: TX_DATA_AT.chainId, wanted: "chainId", reason: REASON.chainId, text: number },
  { at: TX_DATA_AT.version, wanted: "rollupVersion", reason: REASON.rollupVersion, text: number },
  { at: TX_DATA_AT.vkTreeRoot, wanted: "vkTreeRoot", reason: REASON.vkTreeRoot, text: toHex },
  {
    at: TX_DATA_AT.protocolContractsHash,
    wanted: "protocolContractsHash",
    reason: REASON.protocolContracts,
    text: toHex,
  },
];

/** The tx must be made for this network and release; all broken rules are reported. */
export function checkMetadata(
  { tx }: Pick<TxFacts, "tx">,
  { network, rules }: Pick<CheckContext, "network" | "rules">,
): Verdict {
  const reasons = RULES.flatMap(({ at, wanted, reason, text }) => {
    const own = tx.data.subarray(at, at + 32);
    if (equal(own, network[wanted])) return [];
    return reasonWith(reason, `tx: ${text(own)}, expected: ${text(network[wanted])}`, rules.transactions);
  });
  return reasons.length === 0 ? VALID : invalid(...reasons);
}
