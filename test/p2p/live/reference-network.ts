import { readFileSync } from "node:fs";
import { ENR } from "@chainsafe/enr";
import { PROTOCOL_CONTRACTS_HASH, VK_TREE_ROOT } from "../../../src/protocol/constants.ts";

/** What a peer needs to know of a running network of reference nodes. */
export interface ReferenceNetwork {
  /** Protocol version string. */
  version: string;
  slotDurationMs: number;
  committeeSize: number;
  blockDurationMs: number;
  nodes: { name: string; id: string; address: string; enr: string }[];
}

interface NetworkFile {
  rollupVersion: number;
  l1Contracts: { rollupAddress: string };
  enrs: Record<string, string>;
  settings: Record<string, string | number>;
}

/** Reads the file that describes the network. */
export function referenceNetwork(file: string): ReferenceNetwork {
  const { rollupVersion, l1Contracts, enrs, settings }: NetworkFile = JSON.parse(readFileSync(file, "utf8"));
  const first8 = (hex: string) => hex.slice(2, 10).toLowerCase();
  const hashes = [PROTOCOL_CONTRACTS_HASH, VK_TREE_ROOT].map(first8);
  return {
    version: ["00", 31337, first8(l1Contracts.rollupAddress), rollupVersion, ...hashes].join("-"),
    slotDurationMs: Number(settings.AZTEC_SLOT_DURATION) * 1000,
    committeeSize: Number(settings.AZTEC_TARGET_COMMITTEE_SIZE),
    blockDurationMs: Number(settings.SEQ_BLOCK_DURATION_MS),
    nodes: Object.entries(enrs).map(([name, enr]) => {
      const record = ENR.decodeTxt(enr);
      return { name, enr, id: record.peerId.toString(), address: `/ip4/${record.ip}/tcp/${record.tcp}` };
    }),
  };
}
