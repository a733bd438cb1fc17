import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

interface RecordVector {
  txt: string;
  seq: string;
}

interface IdentityVectors {
  componentVersion: {
    input: { l1ChainId: number; rollupAddress: string; rollupVersion: number };
    compressed: string;
  };
  enr: {
    node: RecordVector & {
      privateKeyFileContent: string;
      peerId: string;
      nodeId: string;
      ip: string;
      /** The version string. */
      aztecKey: string;
    };
    bootnode: RecordVector & {
      privateKeyHex: string;
      peerId: string;
      nodeId: string;
      l1ChainId: number;
      aztecKey: string;
    };
    nodeWithoutIp: RecordVector;
  };
}

const file = join(import.meta.dirname, "..", "..", "fixtures", "p2p", "vectors.json.gz");

/** Version string, node records and their keys; see test/fixtures/README.md. */
export const vectors: IdentityVectors = JSON.parse(gunzipSync(readFileSync(file)).toString("utf8"));
