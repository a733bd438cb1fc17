import { isDeepStrictEqual } from "node:util";
import { call } from "../../world/live/json-rpc.ts";
import type { ReferenceNode } from "../../world/live/reference-network.ts";

interface Attestation {
  payload: { archive: string };
  signature: string;
}
interface Proposals {
  blockProposals: { archiveRoot: string; indexWithinCheckpoint: number }[];
  checkpointProposals: { archive: string }[];
}
interface Block {
  archive: { root: string };
  header: { globalVariables: { slotNumber: number | string } };
}

/** What one slot's messages came to, ours beside those that the reference nodes keep. */
export interface SlotResult {
  slot: number;
  /** Distinct attestations that any reference node has. */
  attestations: number;
  /** Those of them that ours does not have, or shows differently. */
  missing: string[];
  /** Attestations that only ours has. */
  more: number;
  /** Attested archives, and those of them without a checkpoint proposal in ours. */
  checkpoints: number;
  missingCheckpoints: string[];
}

/** Compares the attestations of a slot, in full, and looks for the checkpoint proposals that they attest to. */
export async function compareSlot(url: string, nodes: readonly ReferenceNode[], slot: number): Promise<SlotResult> {
  const kept = async (of: string) => (await call(of, "p2p_getCheckpointAttestationsForSlot", slot)) as Attestation[];
  const theirs = new Map<string, Attestation>();
  for (const node of nodes) for (const each of await kept(node.url)) theirs.set(keyOf(each), each);
  const ours = new Map((await kept(url)).map((each) => [keyOf(each), each]));
  const proposals = (await call(url, "svc_getProposalsForSlot", slot)) as Proposals;
  const proposed = new Set(proposals.checkpointProposals.map(({ archive }) => archive));
  const attested = new Set([...theirs.values()].map(({ payload }) => payload.archive));
  return {
    slot,
    attestations: theirs.size,
    missing: [...theirs].filter(([key, each]) => !isDeepStrictEqual(ours.get(key), each)).map(([key]) => key),
    more: [...ours.keys()].filter((key) => !theirs.has(key)).length,
    checkpoints: attested.size,
    missingCheckpoints: [...attested].filter((archive) => !proposed.has(archive)),
  };
}

function keyOf({ payload, signature }: Attestation): string {
  return `${payload.archive} ${signature}`;
}

/** Blocks of the chain in these slots, and those of which ours has no proposal. */
export async function compareBlocks(
  url: string,
  reference: ReferenceNode,
  slots: { from: number; to: number },
): Promise<{ blocks: number; missing: string[] }> {
  const latest = (await call(reference.url, "node_getBlockNumber")) as number;
  const missing: string[] = [];
  let blocks = 0;
  for (let number = latest; number > 0; number--) {
    const { archive, header } = (await call(reference.url, "node_getBlock", number)) as Block;
    const slot = Number(header.globalVariables.slotNumber);
    if (slot < slots.from) break;
    if (slot > slots.to) continue;
    blocks++;
    const { blockProposals } = (await call(url, "svc_getProposalsForSlot", slot)) as Proposals;
    if (!blockProposals.some(({ archiveRoot }) => archiveRoot === archive.root))
      missing.push(`${number} of slot ${slot}`);
  }
  return { blocks, missing };
}
