import { readFileSync } from "node:fs";
import { ENR } from "@chainsafe/enr";
import { componentVersion } from "../../../src/protocol/consensus/component-version.ts";

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
  return {
    version: componentVersion({ l1ChainId: 31337, rollupAddress: l1Contracts.rollupAddress, rollupVersion }),
    slotDurationMs: Number(settings.AZTEC_SLOT_DURATION) * 1000,
    committeeSize: Number(settings.AZTEC_TARGET_COMMITTEE_SIZE),
    blockDurationMs: Number(settings.SEQ_BLOCK_DURATION_MS),
    nodes: Object.entries(enrs).map(([name, enr]) => {
      const record = ENR.decodeTxt(enr);
      return { name, enr, id: record.peerId.toString(), address: `/ip4/${record.ip}/tcp/${record.tcp}` };
    }),
  };
}
