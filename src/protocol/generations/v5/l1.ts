import type { L1Rules } from "../l1.ts";

/** docs/protocol/04-l1-contracts.md#437-what-each-generation-does. */
export const L1: L1Rules = {
  propose: { selector: "0x72636df9", headerWords: 13 },
  epochProofTakes: "headers",
  outbox: { rootsByCount: true },
  slashingDomain: "SlashingProposer",
};
