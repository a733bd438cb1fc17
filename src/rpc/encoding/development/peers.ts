import type { RollupIdentity } from "../../../l1/types.ts";
import type { BlockProposal, CheckpointAttestation, CheckpointProposal, Peer } from "../../methods/services.ts";
import type { Encoder, JsonWriter } from "../json-writer.ts";
import { encodeBlockHeader } from "../v4/block-header.ts";
import { encodeCheckpointHeader } from "../v4/checkpoint.ts";

/** PeerInfo (sheet 03 section 12.2). */
export const encodePeer: Encoder<Peer> = (out, peer) => void out.value(peer);

/** SignatureContext: what signatures of this rollup are bound to. */
function writeContext(out: JsonWriter, { l1ChainId, addresses }: RollupIdentity): void {
  out.text(`,"signatureContext":{"chainId":${l1ChainId},"rollupAddress":`).value(addresses.rollupAddress).text("}");
}

/** CheckpointAttestation (sheet 03 section 12.3). */
export function encodeSlotAttestation(identity: RollupIdentity): Encoder<CheckpointAttestation> {
  return (out, attestation) => {
    out.text('{"payload":{"header":');
    encodeCheckpointHeader(out, attestation.header);
    out.text(',"archive":').word(attestation.archive);
    out.text(',"feeAssetPriceModifier":').decimal(attestation.feeAssetPriceModifier);
    writeContext(out, identity);
    out.text('},"signature":').hex(attestation.signature);
    out.text(',"proposerSignature":').hex(attestation.proposerSignature).text("}");
  };
}

/** ProposalsForSlot (sheet 03 section 12.4). */
export function encodeProposals(
  identity: RollupIdentity,
): Encoder<{ blocks: BlockProposal[]; checkpoints: CheckpointProposal[] }> {
  const encodeBlockProposal: Encoder<BlockProposal> = (out, proposal) => {
    out.text('{"blockHeader":');
    encodeBlockHeader(out, proposal.header);
    out.text(`,"indexWithinCheckpoint":${proposal.indexWithinCheckpoint},"inHash":`).word(proposal.inHash);
    out.text(',"archiveRoot":').word(proposal.archiveRoot);
    out.text(',"txHashes":').array(proposal.txHashes, (to, hash) => void to.word(hash));
    out.text(',"signature":').hex(proposal.signature);
    writeContext(out, identity);
    out.text("}");
  };
  const encodeCheckpointProposal: Encoder<CheckpointProposal> = (out, proposal) => {
    out.text('{"checkpointHeader":');
    encodeCheckpointHeader(out, proposal.header);
    out.text(',"archive":').word(proposal.archive);
    out.text(',"feeAssetPriceModifier":').decimal(proposal.feeAssetPriceModifier);
    out.text(',"signature":').hex(proposal.signature);
    writeContext(out, identity);
    out.text("}");
  };
  return (out, { blocks, checkpoints }) => {
    out.text('{"blockProposals":').array(blocks, encodeBlockProposal);
    out.text(',"checkpointProposals":').array(checkpoints, encodeCheckpointProposal).text("}");
  };
}
