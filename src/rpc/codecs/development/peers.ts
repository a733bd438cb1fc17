import type { RollupIdentity } from "../../../l1/types.ts";
import type { BlockProposal } from "../../../protocol/consensus/block-proposal.ts";
import type { CheckpointAttestation } from "../../../protocol/consensus/checkpoint-attestation.ts";
import type { CheckpointProposal } from "../../../protocol/consensus/checkpoint-proposal.ts";
import { signedBigInt } from "../../../protocol/consensus/signed-integer.ts";
import { shortSignature } from "../../../protocol/consensus/wire-signature.ts";
import { items } from "../../../protocol/tx-effect.ts";
import type { Peer } from "../../ports/peer-network.ts";
import { type Encoder, encoder } from "../json/encoder.ts";
import { about, COUNT, listOf, members, NUMBER, named, record, TEXT } from "../json/json-schema.ts";
import type { JsonWriter, Write } from "../json/json-writer.ts";
import { ETH_ADDRESS, FIELD, SIGNATURE, SIGNED_DECIMAL, TX_HASH } from "../json/scalars.ts";
import { encodeBlockHeader } from "../release/block-header.ts";
import { encodeCheckpointHeader } from "../release/checkpoint.ts";

const PEER_ID = about(TEXT, "The peer's id in the P2P network.");
const ADDRESSES = about(listOf(TEXT), "Its addresses, as multiaddresses.");
const PEER = named("PeerInfo", "A peer: connected, being dialled, or only known.", {
  anyOf: [
    members({
      status: { const: "connected" },
      id: PEER_ID,
      score: about(NUMBER, "Its score; the higher, the better it behaved."),
    }),
    members({
      status: { const: "dialing" },
      id: PEER_ID,
      dialStatus: about(TEXT, "How far dialling is."),
      addresses: ADDRESSES,
    }),
    members({
      status: { const: "cached" },
      id: PEER_ID,
      addresses: ADDRESSES,
      enr: about(TEXT, "Its record for peer discovery."),
      dialAttempts: about(COUNT, "How often dialling it failed."),
    }),
  ],
});

/** PeerInfo. */
export const encodePeer = encoder<Peer>(PEER, (out, peer) => void out.value(peer));

const SIGNATURE_CONTEXT = record("SignatureContext", "The rollup that signatures are bound to.", {
  chainId: about(COUNT, "Chain id of L1."),
  rollupAddress: about(ETH_ADDRESS, "The rollup's contract on L1."),
});
const PRICE_MODIFIER = about(SIGNED_DECIMAL, "How the price of the fee asset is to change, in basis points.");
const SLOT_ATTESTATION = record("CheckpointAttestation", "A validator's attestation to a checkpoint proposal.", {
  payload: record("ConsensusPayload", "What was signed.", {
    header: encodeCheckpointHeader.schema,
    archive: about(FIELD, "Root of the archive after the checkpoint."),
    feeAssetPriceModifier: PRICE_MODIFIER,
    signatureContext: SIGNATURE_CONTEXT,
  }),
  signature: about(SIGNATURE, "The validator's."),
  proposerSignature: about(SIGNATURE, "The proposer's."),
});
const PROPOSALS = record("ProposalsForSlot", "What was proposed for a slot.", {
  blockProposals: about(
    listOf(
      record("BlockProposal", "A proposed block.", {
        blockHeader: encodeBlockHeader.schema,
        indexWithinCheckpoint: about(COUNT, "The block's place in its checkpoint, from 0."),
        inHash: about(FIELD, "Root of the messages from L1 that the checkpoint takes in."),
        archiveRoot: about(FIELD, "Root of the archive after the block."),
        txHashes: about(listOf(TX_HASH), "Its transactions, in their order."),
        signature: about(SIGNATURE, "The proposer's."),
        signatureContext: SIGNATURE_CONTEXT,
      }),
    ),
    "Those of blocks.",
  ),
  checkpointProposals: about(
    listOf(
      record("CheckpointProposal", "A proposed checkpoint.", {
        checkpointHeader: encodeCheckpointHeader.schema,
        archive: about(FIELD, "Root of the archive after the checkpoint."),
        feeAssetPriceModifier: PRICE_MODIFIER,
        signature: about(SIGNATURE, "The proposer's."),
        signatureContext: SIGNATURE_CONTEXT,
      }),
    ),
    "Those of checkpoints.",
  ),
});

/** SignatureContext: the chain and rollup that signatures are bound to. */
function writeContext(out: JsonWriter, { l1ChainId, addresses }: RollupIdentity): void {
  out.text(`,"signatureContext":{"chainId":${l1ChainId},"rollupAddress":`).value(addresses.rollupAddress).text("}");
}

/** CheckpointAttestation (docs/protocol/05-rpc.md#532-peers). */
export function encodeSlotAttestation(identity: RollupIdentity): Encoder<CheckpointAttestation> {
  return encoder(SLOT_ATTESTATION, (out, attestation) => {
    out.text('{"payload":{"header":');
    encodeCheckpointHeader(out, attestation.header);
    out.text(',"archive":').word(attestation.archive);
    out.text(',"feeAssetPriceModifier":').decimal(signedBigInt(attestation.feeAssetPriceModifier));
    writeContext(out, identity);
    out.text('},"signature":').hex(shortSignature(attestation.signature));
    out.text(',"proposerSignature":').hex(shortSignature(attestation.proposerSignature)).text("}");
  });
}

/** ProposalsForSlot (docs/protocol/05-rpc.md#532-peers). */
export function encodeProposals(
  identity: RollupIdentity,
): Encoder<{ blocks: BlockProposal[]; checkpoints: CheckpointProposal[] }> {
  const encodeBlockProposal: Write<BlockProposal> = (out, proposal) => {
    out.text('{"blockHeader":');
    encodeBlockHeader(out, proposal.header);
    out.text(`,"indexWithinCheckpoint":${proposal.indexWithinCheckpoint},"inHash":`).word(proposal.inHash);
    out.text(',"archiveRoot":').word(proposal.archiveRoot);
    const txHashes = items(proposal.txHashes);
    out.text(',"txHashes":').array(txHashes, (to, hash) => void to.word(hash));
    out.text(',"signature":').hex(shortSignature(proposal.signature));
    writeContext(out, identity);
    out.text("}");
  };
  const encodeCheckpointProposal: Write<CheckpointProposal> = (out, proposal) => {
    out.text('{"checkpointHeader":');
    encodeCheckpointHeader(out, proposal.header);
    out.text(',"archive":').word(proposal.archive);
    out.text(',"feeAssetPriceModifier":').decimal(signedBigInt(proposal.feeAssetPriceModifier));
    out.text(',"signature":').hex(shortSignature(proposal.signature));
    writeContext(out, identity);
    out.text("}");
  };
  return encoder(PROPOSALS, (out, { blocks, checkpoints }) => {
    out.text('{"blockProposals":').array(blocks, encodeBlockProposal);
    out.text(',"checkpointProposals":').array(checkpoints, encodeCheckpointProposal).text("}");
  });
}
