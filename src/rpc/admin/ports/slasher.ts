import type { Offense } from "../../../protocol/slashing/offense.ts";

/** A round, `current` for the one that is running, `all` for every stored one. */
export type SlashRound = bigint | "all" | "current";

export interface SlashPayloadRound {
  /** 20 bytes. */
  address: Uint8Array;
  slashes: {
    validator: Uint8Array;
    amount: bigint;
    /** As the payload gives them; L1 does not check their types. */
    offenses: { epochOrSlot: bigint; offenseType: number }[];
  }[];
  /** Seconds. */
  timestamp: bigint;
  votes: bigint;
  round: bigint;
}

export interface Slasher {
  offenses(round: SlashRound): Promise<Offense[]>;
  payloads(): Promise<SlashPayloadRound[]>;
}
