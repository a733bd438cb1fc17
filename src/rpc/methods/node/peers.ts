import { encodePeer, encodeProposals, encodeSlotAttestation } from "../../codecs/development/peers.ts";
import { mapped, optional } from "../../codecs/json/codec.ts";
import { encodeArray } from "../../codecs/json/encoder.ts";
import { payloadHashText } from "../../codecs/json/hex-text.ts";
import { integer } from "../../codecs/json/number.ts";
import { boolean, text } from "../../codecs/json/text.ts";
import { encodeAttestation } from "../../codecs/release/attestation.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import type { AttestedProposal } from "../../ports/peer-network.ts";
import { type Method, method, param } from "../../registry/registry.ts";

/** An archive root's 0x text and more: any other text names no proposal. */
const ARCHIVE_TEXT_LENGTH = 1024;
const archive = mapped(text(ARCHIVE_TEXT_LENGTH), (root): AttestedProposal => ({ archive: root.toLowerCase() }));
const payloadHash = mapped(payloadHashText, (hash): AttestedProposal => ({ payloadHash: hash }));

/** Peers and what they sent (docs/protocol/05-rpc.md#532-peers). */
export function peerMethods({ p2p, identity }: Pick<NodeServices, "p2p" | "identity">): Method[] {
  const slotParam = param("slot", integer({ least: 0 }), "The slot.");
  return [
    method({
      name: "getPeers",
      summary: "Connected peers, and those that are dialled or known when asked for",
      params: [
        param(
          "includePending",
          optional(boolean, false),
          "Whether to show peers that are not connected too; false by default.",
        ),
      ],
      handle: (includePending) => p2p.peers(includePending),
      encode: { p2p: encodeArray(encodePeer), svc: encodeArray(encodePeer) },
    }),
    method({
      name: "getCheckpointAttestationsForSlot",
      summary: "Attestations to the checkpoint proposals of a slot, or to one of them",
      params: {
        p2p: [slotParam, param("proposalId", optional(archive), "Archive root of the checkpoint; all without it.")],
        svc: [
          slotParam,
          param(
            "proposalPayloadHash",
            optional(payloadHash),
            "keccak256 of what the attestations sign; all without it.",
          ),
        ],
      },
      handle: (slot, of) => p2p.attestations(slot, of),
      encode: { p2p: encodeArray(encodeAttestation), svc: encodeArray(encodeSlotAttestation(identity)) },
    }),
    method({
      name: "getProposalsForSlot",
      summary: "Block and checkpoint proposals of a slot",
      params: [slotParam],
      handle: (slot) => p2p.proposals(slot),
      encode: { svc: encodeProposals(identity) },
    }),
  ];
}
