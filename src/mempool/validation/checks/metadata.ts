import { equal } from "../../../protocol/bytes.ts";
import { TX_DATA_AT } from "../../../protocol/tx/kernel-output.ts";
import { REASON } from "../../../protocol/tx/refusal-reasons.ts";
import { invalid, VALID, type Verdict } from "../../../protocol/tx/verdict.ts";
import type { TxFacts } from "../../digest/tx-facts.ts";
import type { CheckContext, Network } from "./context.ts";

const RULES: readonly { at: number; wanted: keyof Network; reason: string }[] = [
  { at: TX_DATA_AT.chainId, wanted: "chainId", reason: REASON.chainId },
  { at: TX_DATA_AT.version, wanted: "rollupVersion", reason: REASON.rollupVersion },
  { at: TX_DATA_AT.vkTreeRoot, wanted: "vkTreeRoot", reason: REASON.vkTreeRoot },
  { at: TX_DATA_AT.protocolContractsHash, wanted: "protocolContractsHash", reason: REASON.protocolContracts },
];

/** The tx must be made for this network and release; all broken rules are reported. */
export function checkMetadata({ tx }: Pick<TxFacts, "tx">, { network }: Pick<CheckContext, "network">): Verdict {
  const broken = RULES.filter(({ at, wanted }) => !equal(tx.data.subarray(at, at + 32), network[wanted]));
  return broken.length === 0 ? VALID : invalid(...broken.map(({ reason }) => reason));
}
