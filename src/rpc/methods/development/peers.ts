import { encodePeer, encodeProposals, encodeSlotAttestation } from "../../encoding/development/peers.ts";
import { encodeArray } from "../../encoding/encoder.ts";
import { optional } from "../../params/codec.ts";
import { payloadHashText } from "../../params/hex-text.ts";
import { integer } from "../../params/number.ts";
import { boolean } from "../../params/text.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method, param } from "../../registry.ts";

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
      encode: { svc: encodeArray(encodePeer) },
    }),
    method({
      name: "getCheckpointAttestationsForSlot",
      summary: "Attestations to the checkpoint proposals of a slot, or to one of them",
      params: [
        slotParam,
        param(
          "proposalPayloadHash",
          optional(payloadHashText),
          "keccak256 of what the attestations sign; all without it.",
        ),
      ],
      handle: (slot, hash) => p2p.attestations(slot, hash),
      encode: { svc: encodeArray(encodeSlotAttestation(identity)) },
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
