/**
 * A call that a slot's proposer should send to L1. `contract` is the slashing proposer contract. Addresses are
 * lower-case 0x text.
 */
export type SlashAction =
  /** A vote on the validators of a round, 2 bits each. The proposer signs it. */
  | { kind: "vote-offenses"; contract: string; slot: number; round: bigint; votes: Uint8Array }
  /** Slashes what a round's votes decided. `committees`: one for each epoch of the round, empty where not slashed. */
  | { kind: "execute-slash"; contract: string; slot: number; round: bigint; committees: string[][] }
  /** A signal for a slash payload. The proposer signs it. */
  | { kind: "empire-slashing-signal"; contract: string; slot: number; payload: string }
  /** Deploys a payload. */
  | {
      kind: "create-empire-payload";
      factory: string;
      slot: number;
      validators: string[];
      amounts: bigint[];
      offenses: { epochOrSlot: bigint; offenseType: number }[][];
    }
  /** Slashes by the payload that won a round. */
  | { kind: "execute-empire-payload"; contract: string; slot: number; round: bigint };

/** What a slot's proposer should do about offenses; nothing while the rollup has no slasher. */
export interface SlashActions {
  /** Throws an L1Error if L1 does not answer. */
  actionsFor(slot: number): Promise<SlashAction[]>;
}
