import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHECKPOINT_AT } from "../../../../src/protocol/checkpoint-header.ts";
import type { CheckpointAttestation } from "../../../../src/protocol/consensus/checkpoint-attestation.ts";
import { signedBytes } from "../../../../src/protocol/consensus/signed-integer.ts";
import { wireSignature } from "../../../../src/protocol/consensus/wire-signature.ts";
import { V4 } from "../../../../src/protocol/generations/v4/v4.ts";
import type { AttestedProposal, Peer, PeerNetwork } from "../../../../src/rpc/ports/peer-network.ts";
import { publicRegistry } from "../../../../src/rpc/server/public-registry.ts";
import { asker } from "../../../world/rpc/ask.ts";
import { fakeServices } from "../../../world/rpc/fakes.ts";

interface AttestationJson {
  payload: { header: Record<string, unknown>; archive: string; feeAssetPriceModifier: string };
  signature: string;
  proposerSignature: string;
}
type Recorded = { params: unknown[] } & (
  | { method: "p2p_getPeers"; result: Peer[] }
  | { method: "p2p_getEncodedEnr"; result: string }
  | { method: "p2p_getCheckpointAttestationsForSlot"; result: AttestationJson[] }
);
const file = join(import.meta.dirname, "../../../fixtures/rpc/p2p-answers.json");
const recorded = JSON.parse(readFileSync(file, "utf8")) as Recorded[];

const hexBytes = (text: string) => Buffer.from(text.slice(2), "hex");

/** The binary form of a header's JSON. */
function headerBytes(json: Record<string, unknown>): Uint8Array {
  const bytes = Buffer.alloc(V4.headers.checkpointBytes);
  for (const [name, at] of Object.entries(CHECKPOINT_AT)) {
    const value = json[name] ?? (json.gasFees as Record<string, unknown>)[name];
    if (name === "slotNumber") bytes.writeUInt32BE(value as number, at + 28);
    else if (name === "timestamp") bytes.writeBigUInt64BE(BigInt(value as string), at);
    else if (name.startsWith("feePer")) bytes.writeBigUInt64BE(BigInt(value as string), at + 8);
    else hexBytes(value as string).copy(bytes, at);
  }
  return bytes;
}

function attestation({ payload, signature, proposerSignature }: AttestationJson): CheckpointAttestation {
  return {
    header: headerBytes(payload.header),
    archive: hexBytes(payload.archive),
    feeAssetPriceModifier: signedBytes(BigInt(payload.feeAssetPriceModifier)),
    signature: wireSignature(hexBytes(signature)),
    proposerSignature: wireSignature(hexBytes(proposerSignature)),
  };
}

const noPeers: PeerNetwork = {
  enr: () => undefined,
  peers: () => [],
  attestations: () => [],
  proposals: () => ({ blocks: [], checkpoints: [] }),
};

test("the p2p namespace has the five methods of a full node", () => {
  const names = publicRegistry(fakeServices())
    .in("p2p")
    .map(({ name }) => name);
  expect(names.toSorted()).toEqual([
    "getCheckpointAttestationsForSlot",
    "getEncodedEnr",
    "getPeers",
    "getPendingTxCount",
    "getPendingTxs",
  ]);
});

describe("p2p namespace", () => {
  test.each(recorded.map((call, i) => [`${call.method} (${i})`, call] as const))(
    "recorded answer of %s is written byte for byte",
    async (_, call) => {
      const asked: unknown[] = [];
      const p2p: PeerNetwork = {
        ...noPeers,
        enr: () => call.result as string,
        peers: () => call.result as Peer[],
        attestations: (slot: number, of?: AttestedProposal) => {
          asked.push(of === undefined ? [slot] : [slot, (of as { archive: string }).archive]);
          return (call.result as AttestationJson[]).map(attestation);
        },
      };
      const { ask } = asker({ p2p });
      expect(JSON.stringify(await ask(call.method, ...call.params))).toBe(JSON.stringify(call.result));
      if (call.method === "p2p_getCheckpointAttestationsForSlot") expect(asked).toEqual([call.params]);
    },
  );
});

test("without peers the p2p namespace answers with empty lists and without an ENR", async () => {
  const { ask } = asker();
  expect(await ask("p2p_getPeers", true)).toEqual([]);
  expect(await ask("p2p_getEncodedEnr")).toBeNull();
  expect(await ask("p2p_getPendingTxCount")).toBe(0);
  expect(await ask("p2p_getPendingTxs", 50)).toEqual([]);
  expect(await ask("p2p_getPendingTxs", 51)).toEqual([-32701, "Number must be less than or equal to 50 (0)"]);
  expect(await ask("p2p_getCheckpointAttestationsForSlot", "x")).toMatchObject([-32701, /./]);
});
