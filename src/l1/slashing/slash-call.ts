import { encodeFunctionData, type Hex } from "viem";
import { fromHex, toHex } from "../../protocol/bytes.ts";
import type { SlashAction } from "../../protocol/slashing/action.ts";
import { PAYLOAD_SUBMITTED_TOPIC, SIGNAL_CAST_TOPIC } from "../abi/governance-proposer.ts";
import {
  empireSlashingProposerAbi,
  ROUND_EXECUTED_TOPIC,
  slashFactoryAbi,
  tallySlashingProposerAbi,
  VOTE_CAST_TOPIC,
} from "../abi/slashing.ts";
import type { TypedData } from "../tx/signer.ts";
import { PAYLOAD_CREATED_TOPIC, packOffense } from "./slash-factory.ts";

/** A slash action as a call to L1. */
interface SlashCall {
  /** Lower-case 0x text. */
  to: string;
  /** What the slot's proposer signs; undefined for calls that anybody may send. */
  toSign: TypedData | undefined;
  /** `signature`: 65 bytes r, s, v, if there is something to sign. */
  calldata(signature?: Uint8Array): Uint8Array;
  /** The event that shows that the call took effect: its contract and first topic. */
  proof: { address: string; topic: string };
}

/** Whose votes are signed. */
interface SlashingContext {
  chainId: number;
  /** The rollup's address, for signals of the empire model. */
  rollup: string;
  /** L1Rules.slashingDomain. */
  domain: string;
}

export function slashCall(action: SlashAction, { chainId, rollup, domain }: SlashingContext): SlashCall {
  switch (action.kind) {
    case "vote-offenses": {
      const { contract, votes, slot } = action;
      const text = toHex(votes) as Hex;
      return {
        to: contract,
        toSign: {
          domain: { name: domain, version: "1", chainId, verifyingContract: contract },
          types: {
            Vote: [
              { name: "votes", type: "bytes" },
              { name: "slot", type: "uint256" },
            ],
          },
          primaryType: "Vote",
          message: { votes: text, slot: BigInt(slot) },
        },
        calldata: (signature) => {
          const args = [text, signatureParts(signature)] as const;
          return fromHex(encodeFunctionData({ abi: tallySlashingProposerAbi, functionName: "vote", args }));
        },
        proof: { address: contract, topic: VOTE_CAST_TOPIC },
      };
    }
    case "execute-slash": {
      const args = [action.round, action.committees as Hex[][]] as const;
      const data = encodeFunctionData({ abi: tallySlashingProposerAbi, functionName: "executeRound", args });
      return anybodys(action.contract, data, ROUND_EXECUTED_TOPIC);
    }
    case "empire-slashing-signal": {
      const { contract, payload, slot } = action;
      return {
        to: contract,
        toSign: {
          domain: { name: "EmpireBase", version: "1", chainId, verifyingContract: contract },
          types: {
            Signal: [
              { name: "payload", type: "address" },
              { name: "slot", type: "uint256" },
              { name: "instance", type: "address" },
            ],
          },
          primaryType: "Signal",
          message: { payload, slot: BigInt(slot), instance: rollup },
        },
        calldata: (signature) => {
          const args = [payload as Hex, signatureParts(signature)] as const;
          return fromHex(encodeFunctionData({ abi: empireSlashingProposerAbi, functionName: "signalWithSig", args }));
        },
        proof: { address: contract, topic: SIGNAL_CAST_TOPIC },
      };
    }
    case "create-empire-payload": {
      const { validators, amounts, offenses } = action;
      const args = [validators as Hex[], amounts, offenses.map((list) => list.map(packOffense))] as const;
      const data = encodeFunctionData({ abi: slashFactoryAbi, functionName: "createSlashPayload", args });
      return anybodys(action.factory, data, PAYLOAD_CREATED_TOPIC);
    }
    case "execute-empire-payload": {
      const abi = empireSlashingProposerAbi;
      const data = encodeFunctionData({ abi, functionName: "submitRoundWinner", args: [action.round] });
      return anybodys(action.contract, data, PAYLOAD_SUBMITTED_TOPIC);
    }
  }
}

function anybodys(to: string, data: Hex, topic: string): SlashCall {
  const bytes = fromHex(data);
  return { to, toSign: undefined, calldata: () => bytes, proof: { address: to, topic } };
}

function signatureParts(signature: Uint8Array | undefined): { v: number; r: Hex; s: Hex } {
  if (signature?.length !== 65) throw new RangeError(`a vote needs a signature of 65 bytes, got ${signature?.length}`);
  const [r, s] = [signature.slice(0, 32), signature.slice(32, 64)].map((part) => toHex(part) as Hex);
  return { v: signature[64], r, s };
}
