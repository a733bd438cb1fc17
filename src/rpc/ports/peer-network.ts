import type { BlockProposal } from "../../protocol/consensus/block-proposal.ts";
import type { CheckpointAttestation } from "../../protocol/consensus/checkpoint-attestation.ts";
import type { CheckpointProposal } from "../../protocol/consensus/checkpoint-proposal.ts";
import type { Eventually } from "./eventually.ts";

/** Members are in the order in which the network's nodes write them. */
export type Peer =
  | { id: string; score: number; status: "connected" }
  | { id: string; status: "dialing"; dialStatus: string; addresses: string[] }
  | { status: "cached"; id: string; addresses: string[]; dialAttempts: number; enr: string };

/** A checkpoint proposal by the keccak256 of the payload that attesters sign, or by its archive root as 0x text. */
export type AttestedProposal = { payloadHash: Uint8Array } | { archive: string };

/** The node among its peers (docs/protocol/05-rpc.md#531-validators). */
export interface PeerNetwork {
  /** The node's own record, undefined without P2P. */
  enr(): Eventually<string | undefined>;
  /** With `includePending` also peers that are being dialled and those that are only known. */
  peers(includePending: boolean): Eventually<Peer[]>;
  /** All attestations of a slot, or those to one proposal. */
  attestations(slot: number, of?: AttestedProposal): Eventually<CheckpointAttestation[]>;
  proposals(slot: number): Eventually<{ blocks: BlockProposal[]; checkpoints: CheckpointProposal[] }>;
}
