import type { BlockProposal } from "../../protocol/consensus/block-proposal.ts";
import type { CheckpointAttestation } from "../../protocol/consensus/checkpoint-attestation.ts";
import type { CheckpointProposal } from "../../protocol/consensus/checkpoint-proposal.ts";
import type { Eventually } from "./eventually.ts";

export type Peer =
  | { status: "connected"; id: string; score: number }
  | { status: "dialing"; id: string; dialStatus: string; addresses: string[] }
  | { status: "cached"; id: string; addresses: string[]; enr: string; dialAttempts: number };

/** The node among its peers (docs/protocol/05-rpc.md#531-validators). */
export interface PeerNetwork {
  /** The node's own record, undefined without P2P. */
  enr(): Eventually<string | undefined>;
  /** With `includePending` also peers that are being dialled and those that are only known. */
  peers(includePending: boolean): Eventually<Peer[]>;
  /** One attestation per signer, or all that sign a payload by its keccak256. */
  attestations(slot: number, payloadHash: Uint8Array | undefined): Eventually<CheckpointAttestation[]>;
  proposals(slot: number): Eventually<{ blocks: BlockProposal[]; checkpoints: CheckpointProposal[] }>;
}
