import { decodeAbiParameters, type Hex, parseAbiParameters, toFunctionSelector } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { retrieveCheckpoints } from "../../../src/l1/checkpoints/retrieve.ts";
import { submissionCalldata } from "../../../src/l1/prove/epoch-submission.ts";
import { findRollup } from "../../../src/l1/rollup/discovery.ts";
import { rollupGeneration } from "../../../src/l1/rollup/rollup-protocol.ts";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import type { ProposedCheckpoint } from "../../../src/l1/types.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { checkpointHash } from "../../../src/protocol/checkpoint-header.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { readVectors } from "../../protocol/generations/v5/vectors.ts";
import { LyingL1 } from "../../world/l1/lying-l1.ts";
import { ServedRecording, V5_CHAINS } from "../../world/l1/served-recording.ts";

const ROLLUP = "0x4ed7c70f96b99c776995fb64377f0d4ab3b0e1c1";

/** Words of a header in ABI encoding, and of what stands before it in `propose`. */
const HEADER_WORDS = 13;
const BEFORE_HEADER = 2;

/** The words of the header in a recorded call of `propose`, which stands in one of multicall3. */
async function proposeWords(rpc: L1Rpc, hash: string): Promise<string[]> {
  const { input } = await rpc.request({
    method: "eth_getTransactionByHash",
    params: [hash],
    parse: (answer) => answer as { input: string },
  });
  const [, call] = input.split(V5.l1.propose.selector.slice(2));
  const words = call.match(/.{64}/g)!;
  return words.slice(BEFORE_HEADER, BEFORE_HEADER + HEADER_WORDS).map((word) => `0x${word}`);
}

describe("checkpoints of a recorded v5 rollup", () => {
  let l1: ServedRecording;
  let rpc: L1Rpc;
  let found: ProposedCheckpoint[];

  beforeAll(async () => {
    l1 = await ServedRecording.start("chain");
    rpc = new L1Rpc({ urls: [l1.url], logger: silentLogger });
    const constants = { l1GenesisTime: 1795829581, slotDuration: 72 };
    const context = { rpc, debugRpc: rpc, rollupAddress: ROLLUP, committeeSize: 0, constants, logger: silentLogger };
    found = await retrieveCheckpoints({ ...context, generation: V5, l1ChainId: 31337 }, 0, l1.until);
  });

  afterAll(() => l1.stop());

  test("are read from their calls, each bound by the digest in its event", () => {
    const recorded =
      readVectors<
        { number: number; headerBytes: string; headerHash: string; archive: string; attestation: { digest: string } }[]
      >("checkpoints");
    expect(found.map(({ checkpointNumber }) => checkpointNumber)).toEqual(recorded.map(({ number }) => number));
    found.forEach(({ header, archiveRoot, payloadDigest }, i) => {
      expect(toHex(header)).toBe(recorded[i].headerBytes);
      expect(toHex(checkpointHash(header))).toBe(recorded[i].headerHash);
      expect(toHex(archiveRoot)).toBe(recorded[i].archive);
      expect(toHex(payloadDigest)).toBe(recorded[i].attestation.digest);
    });
  });

  test("are proven with their headers, in the words in which they were proposed", async () => {
    const proven = found.slice(0, 4);
    const posted = await Promise.all(proven.map(({ transactionHash }) => proposeWords(rpc, toHex(transactionHash))));
    const bytes = (fill: number, length: number) => new Uint8Array(length).fill(fill);
    const submission = {
      ...{ start: 1, end: 4, previousArchive: bytes(1, 32), endArchive: bytes(2, 32), outHash: bytes(3, 32) },
      ...{ proverId: bytes(4, 20), fees: [], headers: proven.map(({ header }) => header) },
      attestations: { signatureIndices: bytes(5, 1), signaturesOrAddresses: bytes(6, 65) },
      ...{ blobInputs: bytes(7, 192), proof: bytes(8, 42) },
    };
    const calldata = toHex(submissionCalldata(V5, submission)) as Hex;
    expect(calldata.slice(0, 10)).toBe("0x069d1525");
    const structure = `(uint256 start, uint256 end, (bytes32,bytes32,bytes32,address) args, bytes32[${HEADER_WORDS}][] headers, (bytes,bytes) attestations, bytes blobInputs, bytes proof)`;
    const [args] = decodeAbiParameters(parseAbiParameters(structure), `0x${calldata.slice(10)}`);
    expect(args).toEqual({
      ...{ start: 1n, end: 4n, headers: posted },
      args: [1, 2, 3].map((fill) => toHex(bytes(fill, 32))).concat(toHex(bytes(4, 20))),
      attestations: [toHex(bytes(5, 1)), toHex(bytes(6, 65))],
      ...{ blobInputs: toHex(bytes(7, 192)), proof: toHex(bytes(8, 42)) },
    });
  });
});

test("of a registry's rollups of two generations each is told by its own contract, the canonical one by default", async () => {
  const l1 = await ServedRecording.start("chain");
  const registry = await LyingL1.inFrontOf(l1.url);
  const earlier = `0x${"44".repeat(20)}`;
  const { vkTreeRoot, protocolContractsHash } = V4.contracts;
  registry.lie = {
    answer({ method, params: [first, slot] }, { id }) {
      const answer = (result: string) => ({ jsonrpc: "2.0" as const, id, result });
      if (method === "eth_getStorageAt" && first === earlier)
        return answer(BigInt(slot as string) % 2n === 0n ? vkTreeRoot : protocolContractsHash);
      const { to, data } = first as { to: string; data: string };
      if (method === "eth_call" && data.startsWith(toFunctionSelector("getRollup(uint256)")))
        return answer(`0x${"00".repeat(12)}${earlier.slice(2)}`);
      if (method === "eth_call" && to === earlier)
        return { jsonrpc: "2.0", id, error: { code: 3, message: "execution reverted", data: "0x" } };
      return undefined;
    },
  };
  try {
    const rpc = new L1Rpc({ urls: [registry.url], logger: silentLogger });
    const registryAddress = V5_CHAINS.chain;
    const canonical = await findRollup(rpc, { registryAddress });
    const named = await findRollup(rpc, { registryAddress, rollupVersion: 344372055 });
    expect([canonical, named]).toEqual([ROLLUP, earlier]);
    expect(await rollupGeneration(rpc, canonical)).toBe(V5);
    expect(await rollupGeneration(rpc, named)).toBe(V4);
  } finally {
    await registry.close();
    await l1.stop();
  }
});
