import { keccak_256 } from "@noble/hashes/sha3.js";
import type { Topic } from "../../../src/p2p/gossip/publisher.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { checkpointSlot } from "../../../src/protocol/checkpoint-header.ts";
import {
  type BlockProposal,
  blockProposalPayload,
  blockProposalSlot,
  blockSigner,
  decodeBlockProposal,
} from "../../../src/protocol/consensus/block-proposal.ts";
import {
  attestationPayloadHash,
  attester,
  decodeCheckpointAttestation,
} from "../../../src/protocol/consensus/checkpoint-attestation.ts";
import {
  checkpointProposalPayload,
  checkpointSigner,
  decodeCheckpointProposal,
} from "../../../src/protocol/consensus/checkpoint-proposal.ts";
import type { DutyKind } from "../../../src/validator/signing/duty.ts";
import { V4_ROLLUP } from "../../world/protocol/message-rollup.ts";
import { recoverSigner } from "../../world/protocol/recover-signer.ts";

/** What a validator signed, read from a message on the wire. */
export interface SignedMessage {
  kind: Extract<DutyKind, "BLOCK_PROPOSAL" | "CHECKPOINT_PROPOSAL" | "ATTESTATION">;
  slot: number;
  /** Position of a block in its checkpoint; -1 for the other kinds. */
  index: number;
  /** Lower-case 0x text; undefined if the signature is invalid. */
  signer: string | undefined;
  /** keccak256 of what was signed, 0x text. Two messages for one duty differ in it. */
  hash: string;
}

const textOf = (address: Uint8Array | undefined) => address && toHex(address);

function ofBlock(proposal: BlockProposal): SignedMessage {
  return {
    kind: "BLOCK_PROPOSAL",
    slot: blockProposalSlot(proposal),
    index: proposal.indexWithinCheckpoint,
    signer: textOf(blockSigner(proposal, recoverSigner, V4_ROLLUP)),
    hash: toHex(keccak_256(blockProposalPayload(proposal, V4_ROLLUP))),
  };
}

/** Everything that validators signed in a gossip message: a checkpoint proposal may bring its last block along. */
export function signedMessages(topic: Topic, payload: Uint8Array): SignedMessage[] {
  if (topic === "block_proposal") return [ofBlock(decodeBlockProposal(payload, V4_ROLLUP))];
  if (topic === "checkpoint_proposal") {
    const { lastBlock, ...proposal } = decodeCheckpointProposal(payload, V4_ROLLUP);
    const checkpoint: SignedMessage = {
      kind: "CHECKPOINT_PROPOSAL",
      slot: checkpointSlot(proposal.header),
      index: -1,
      signer: textOf(checkpointSigner(proposal, recoverSigner, V4_ROLLUP)),
      hash: toHex(keccak_256(checkpointProposalPayload(proposal, V4_ROLLUP))),
    };
    return lastBlock === undefined ? [checkpoint] : [ofBlock(lastBlock), checkpoint];
  }
  if (topic === "checkpoint_attestation") {
    const attestation = decodeCheckpointAttestation(payload, V4_ROLLUP);
    const signer = textOf(attester(attestation, recoverSigner, V4_ROLLUP));
    const hash = toHex(attestationPayloadHash(attestation, V4_ROLLUP));
    return [{ kind: "ATTESTATION", slot: checkpointSlot(attestation.header), index: -1, signer, hash }];
  }
  return [];
}

/** All messages of a duty, by hash. */
type DutyMessages = Map<string, SignedMessage>;

const keyOf = ({ signer, kind, slot, index }: Omit<SignedMessage, "hash">) => `${signer} ${kind} ${slot} ${index}`;

/** Messages of validators by duty. */
export class SignedRecord {
  readonly #duties = new Map<string, DutyMessages>();

  add(message: SignedMessage): void {
    const key = keyOf(message);
    const known = this.#duties.get(key) ?? new Map();
    known.set(message.hash, message);
    this.#duties.set(key, known);
  }

  /** Hashes of what `signer` signed for a duty. */
  hashes(duty: Omit<SignedMessage, "hash">): string[] {
    return [...(this.#duties.get(keyOf(duty))?.keys() ?? [])];
  }

  /** One message of each duty in these slots. */
  duties(first: number, last: number): SignedMessage[] {
    return [...this.#duties.values()]
      .map((messages) => [...messages.values()][0])
      .filter(({ slot }) => slot >= first && slot <= last);
  }

  /** Duties for which two or more messages were signed, as text. */
  doubles(): string[] {
    return [...this.#duties].filter(([, messages]) => messages.size > 1).map(([key]) => key);
  }
}
