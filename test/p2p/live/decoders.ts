import type { Topic } from "../../../src/p2p/gossip/publisher.ts";
import type { MessageWrapper } from "../../../src/p2p/gossip/topic.ts";
import { decodeBlockProposal } from "../../../src/protocol/consensus/block-proposal.ts";
import { decodeCheckpointAttestation } from "../../../src/protocol/consensus/checkpoint-attestation.ts";
import { decodeCheckpointProposal } from "../../../src/protocol/consensus/checkpoint-proposal.ts";
import { unwrapMessage, wrapMessage } from "../../../src/protocol/consensus/gossip-wrapper.ts";
import { V4_ROLLUP } from "../../world/protocol/message-rollup.ts";
import { txFromBytes } from "../../world/protocol/v4-txs.ts";

export const wrapper: MessageWrapper = { wrap: wrapMessage, unwrap: unwrapMessage };

export const decoders: Record<Topic, (payload: Uint8Array) => unknown> = {
  tx: (payload) => txFromBytes(payload),
  block_proposal: (payload) => decodeBlockProposal(payload, V4_ROLLUP),
  checkpoint_proposal: (payload) => decodeCheckpointProposal(payload, V4_ROLLUP),
  checkpoint_attestation: (payload) => decodeCheckpointAttestation(payload, V4_ROLLUP),
};
