import { messagesOfCheckpoint } from "../../../src/archiver/message-chain.ts";
import {
  CheckpointProposalCheck,
  type CheckpointProposalParts,
} from "../../../src/checkpoints/proposals/checkpoint-proposal-check.ts";
import type { Core } from "../../../src/core/core.ts";
import { Kzg } from "../../../src/l1/blobs/kzg.ts";
import type { SlotCommittee } from "../../../src/l1/committee/slot-committees.ts";
import { LocalSigner } from "../../../src/l1/tx/local-signer.ts";
import { equal, fromHex, toHex } from "../../../src/protocol/bytes.ts";
import {
  attester,
  type CheckpointAttestation,
  decodeCheckpointAttestation,
} from "../../../src/protocol/consensus/checkpoint-attestation.ts";
import {
  type CheckpointProposal,
  checkpointProposalPayload,
  decodeCheckpointProposal,
  type GossipedCheckpointProposal,
} from "../../../src/protocol/consensus/checkpoint-proposal.ts";
import { unwrapMessage } from "../../../src/protocol/consensus/gossip-wrapper.ts";
import { signerRecovery } from "../../../src/protocol/consensus/signer-recovery.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { epochOfSlot } from "../../../src/protocol/time.ts";
import { signPayload } from "../p2p/consensus-support.ts";
import { recordedMessages, recordedNetwork } from "../p2p/recorded.ts";
import { recordedNetworkChain } from "../p2p/recorded-chain.ts";
import { V4_ROLLUP } from "../protocol/message-rollup.ts";
import { recoverSigner } from "../protocol/recover-signer.ts";

export type RecordedCommittee = Awaited<ReturnType<typeof recordedCommittee>>;

const network = recordedNetwork();

/** Keys of the recorded network's validators by lower-case address. */
export const KEYS = new Map(network.validators.map(({ key, address }) => [address.toLowerCase(), fromHex(key)]));

export const signerOf = (address: string) => {
  const key = KEYS.get(address);
  return key && new LocalSigner(key);
};

export interface ReceivedCheckpoint {
  proposal: GossipedCheckpointProposal;
  slot: number;
  /** Lower-case 0x text. */
  proposer: string;
  /** Arrival, Unix milliseconds. */
  t: number;
}

const messages = recordedMessages().map((message) => ({ ...message, payload: unwrapMessage(message.wrapped) }));

/** The checkpoint proposals of the recording. */
export const PROPOSALS: ReceivedCheckpoint[] = messages.flatMap(({ topic, payload, t, decoded }) =>
  topic === "checkpoint_proposal"
    ? [{ proposal: decodeCheckpointProposal(payload, V4_ROLLUP), slot: decoded.slot, proposer: decoded.sender, t }]
    : [],
);

export interface ReceivedAttestation {
  bytes: Uint8Array;
  attestation: CheckpointAttestation;
  /** Lower-case 0x text. */
  attester: string;
}

/** The recorded attestations to a proposal. */
export function attestationsTo({ archive }: Pick<CheckpointProposal, "archive">): ReceivedAttestation[] {
  return messages.flatMap(({ topic, payload }) => {
    if (topic !== "checkpoint_attestation") return [];
    const attestation = decodeCheckpointAttestation(payload, V4_ROLLUP);
    const signer = attester(attestation, recoverSigner, V4_ROLLUP)!;
    return equal(attestation.archive, archive) ? [{ bytes: payload, attestation, attester: toHex(signer) }] : [];
  });
}

/** A changed proposal with the signature of its proposer. */
export async function signedAgain(
  { proposal, proposer }: ReceivedCheckpoint,
  change: (changed: { header: Uint8Array; archive: Uint8Array; feeAssetPriceModifier: Uint8Array }) => void,
): Promise<CheckpointProposal> {
  const payload = {
    header: Uint8Array.from(proposal.header),
    archive: Uint8Array.from(proposal.archive),
    feeAssetPriceModifier: Uint8Array.from(proposal.feeAssetPriceModifier),
  };
  change(payload);
  return {
    ...payload,
    signature: await signPayload(KEYS.get(proposer)!, checkpointProposalPayload(payload, V4_ROLLUP)),
  };
}

/** The recorded network with a committee: its chain, its committees and a check of its checkpoint proposals. */
export async function recordedCommittee(core: Core) {
  const recorded = await recordedNetworkChain(core);
  const { chain, identity } = recorded;
  const { constants } = identity;
  const kzg = new Kzg();
  const recover = await signerRecovery();
  /** The chain up to a block. */
  const upTo = (number: number): CheckpointProposalParts["chain"] => ({
    block: (n) => (n <= number ? chain.block(n) : undefined),
    blockBody: (n) => chain.blockBody(n),
    blockNumberByArchive: (root) => {
      const found = chain.blockNumberByArchive(root);
      return found !== undefined && found <= number ? found : undefined;
    },
    checkpointsOfEpoch: (epoch) => chain.checkpointsOfEpoch(epoch),
    latestBlockNumber: () => number,
  });
  return {
    ...recorded,
    constants,
    recover,
    committees: {
      async at(slot: number): Promise<SlotCommittee> {
        const epoch = epochOfSlot(slot, constants);
        const members = (network.epochs[epoch].committee ?? []).map(fromHex);
        return {
          slot,
          epoch,
          kind: "committee",
          members,
          proposer: fromHex(network.proposers[slot]!),
          escapeHatchOpen: false,
          isMember: (address) => members.some((member) => equal(member, address)),
        };
      },
    },
    /** Whether the proposal's last block became part of the chain. */
    isOnChain: ({ proposal }: ReceivedCheckpoint) => chain.blockNumberByArchive(proposal.archive) !== undefined,
    /** A check on the chain as it was when a proposal came. */
    check: ({ proposal, t }: ReceivedCheckpoint, changes: Partial<CheckpointProposalParts> = {}) =>
      new CheckpointProposalCheck({
        core,
        generation: V4,
        kzg,
        chain: upTo(chain.blockNumberByArchive(proposal.archive) ?? chain.latestBlockNumber()),
        constants,
        limits: { rollupManaLimit: constants.rollupManaLimit },
        sync: { poke: () => {}, onBlocksAdded: () => () => {} },
        messages: (number) => messagesOfCheckpoint(chain.messages, number),
        rollup: V4_ROLLUP,
        recover,
        now: () => t,
        ...changes,
      }),
    async remove() {
      await kzg.close();
      await recorded.remove();
    },
  };
}
