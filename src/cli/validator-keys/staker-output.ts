import type { BlsKey } from "../../keystore/bls-key.ts";
import { type RegisteredKeys, registeredKeys } from "../../l1/deploy/validator-keys.ts";
import { checksumAddress } from "../../protocol/l1-address-text.ts";

/** What a staking contract needs to register a validator, in the form that the reference's command writes. */
export interface StakerEntry {
  attester: string;
  publicKeyG1: { x: string; y: string };
  publicKeyG2: { x0: string; x1: string; y0: string; y1: string };
  proofOfPossession: { x: string; y: string };
}

/** 32 bytes. */
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, "0")}`;
/** As few digits as possible: what the reference does for the proof of possession only. */
const short = (value: bigint): string => `0x${value.toString(16)}`;

/** `attester` is lower-case 0x text. */
export function stakerEntry(attester: string, key: BlsKey): { entry: StakerEntry; keys: RegisteredKeys } {
  const keys = registeredKeys(key.reveal());
  const { publicKeyInG1: g1, publicKeyInG2: g2, proofOfPossession } = keys;
  return {
    keys,
    entry: {
      attester: checksumAddress(attester),
      publicKeyG1: { x: word(g1.x), y: word(g1.y) },
      publicKeyG2: { x0: word(g2.x0), x1: word(g2.x1), y0: word(g2.y0), y1: word(g2.y1) },
      proofOfPossession: { x: short(proofOfPossession.x), y: short(proofOfPossession.y) },
    },
  };
}
