import type { AttestationPool } from "../../mempool/attestations/attestation-pool.ts";
import type { PeerNode } from "../../p2p/peer-node.ts";
import { fromHex } from "../../protocol/bytes.ts";
import type { PeerNetwork } from "../../rpc/ports/peer-network.ts";

interface PeerAnswersParts {
  node: Pick<PeerNode, "connections">;
  /** Text of the node's own record. */
  enr(): string;
  attestations: Pick<AttestationPool, "attestations" | "proposals" | "signedAttestations">;
}

const ARCHIVE_TEXT = /^0x[0-9a-f]{64}$/;

/** The node's peers and their messages for the JSON-RPC methods. */
export function peerAnswers({ node, enr, attestations }: PeerAnswersParts): PeerNetwork {
  return {
    enr,
    peers: (includePending) => node.connections.peers(includePending),
    attestations(slot, of) {
      if (of === undefined || "payloadHash" in of) return attestations.attestations(slot, of);
      return ARCHIVE_TEXT.test(of.archive) ? attestations.attestations(slot, { archive: fromHex(of.archive) }) : [];
    },
    proposals: (slot) => attestations.proposals(slot),
  };
}
