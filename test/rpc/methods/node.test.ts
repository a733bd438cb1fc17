import { describe, expect, test } from "vitest";
import { selector } from "../../../src/core/derive/selector.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { bigUintBytes, concat, toHex } from "../../../src/protocol/bytes.ts";
import { signedBytes } from "../../../src/protocol/consensus/signed-integer.ts";
import { wireSignature } from "../../../src/protocol/consensus/wire-signature.ts";
import { FunctionSignatures } from "../../../src/rpc/methods/contracts/function-signatures.ts";
import type { NodeServices } from "../../../src/rpc/ports/node-services.ts";
import { checkpoints, svc } from "../../world/rpc/development-chain.ts";
import { fakeContent, GENESIS_BLOCK, IDENTITY, wordOf } from "../../world/rpc/fakes.ts";

const core = loadCore();
const { ask } = svc();

describe("contracts and node info", () => {
  const instance = {
    address: wordOf(1),
    salt: wordOf(2),
    deployer: wordOf(3),
    currentContractClassId: wordOf(4),
    originalContractClassId: wordOf(5),
    initializationHash: wordOf(6),
    publicKeys: concat(...[1, 2, 3, 4].map((byte) => new Uint8Array(64).fill(byte))),
    blockNumber: 2,
  };

  test("svc_getContract gives the public keys as points and as hashes", async () => {
    const times: (bigint | undefined)[] = [];
    const content = fakeContent({
      contractInstance: (_, timestamp) => {
        times.push(timestamp);
        return instance;
      },
    });
    const { ask: askContract } = svc({ content });
    const address = toHex(wordOf(1));
    const points = {
      masterNullifierPublicKey: `0x${"01".repeat(64)}`,
      masterIncomingViewingPublicKey: `0x${"02".repeat(64)}`,
      masterOutgoingViewingPublicKey: `0x${"03".repeat(64)}`,
      masterTaggingPublicKey: `0x${"04".repeat(64)}`,
    };
    const release = (await askContract("node_getContract", address)) as object;
    expect(release).toMatchObject({ version: 1, publicKeys: points, address });
    const hash = toHex(wordOf(0x55));
    expect(await askContract("svc_getContract", address)).toEqual({
      ...release,
      immutablesHash: toHex(wordOf(0)),
      publicKeys: {
        npkMHash: hash,
        ivpkM: points.masterIncomingViewingPublicKey,
        ovpkMHash: hash,
        tpkMHash: hash,
        ...points,
      },
    });
    expect(await askContract("svc_getContract", address, "proposed")).not.toBeNull();
    expect(times).toEqual([undefined, undefined, 0n]);
    expect(await askContract("svc_getContract", address, 1)).toBeNull();
  });

  test("svc_getNodeInfo has the gas limits, and the ENR if there is one", async () => {
    const limits = { gas: { daGas: 117_965, l2Gas: 6_540_000 } };
    const info = (await ask("svc_getNodeInfo")) as object;
    expect(info).toMatchObject({ nodeVersion: "4.1.2", realProofs: false, txsLimits: limits });
    // The compiler version of the release's own contracts.
    expect(info).toHaveProperty("compatibleNargoVersion", "1.0.0-beta.18");
    expect(info).not.toHaveProperty("enr");
    expect(await ask("node_getNodeInfo")).toEqual({
      ...info,
      txsLimits: undefined,
      compatibleNargoVersion: undefined,
    });
    const p2p = {
      enr: () => "enr:x",
      peers: () => [],
      attestations: () => [],
      proposals: () => ({ blocks: [], checkpoints: [] }),
    };
    expect(await svc({ p2p }).ask("svc_getNodeInfo")).toMatchObject({ enr: "enr:x" });
    expect(await svc({ p2p }).ask("svc_getEncodedEnr")).toBe("enr:x");
    expect(await ask("svc_getEncodedEnr")).toBeNull();
  });
});

test("svc_ gives the fees of the current slot and predicts those of the next", async () => {
  const current = { feePerDaGas: "0", feePerL2Gas: "87014100000" };
  expect(await ask("svc_getCurrentMinFees")).toEqual(current);
  expect(await ask("svc_getPredictedMinFees")).toHaveLength(3);
  expect(await ask("svc_getPredictedMinFees", "half")).toEqual([
    -32701,
    "Invalid enum value. Expected 'none' | 'target' | 'limit', received 'half' (0)",
  ]);
  expect(await ask("node_getPredictedMinFees")).toEqual([-32601, "Method not found: node_getPredictedMinFees"]);
  const usages: string[] = [];
  const fees = {
    currentMinFees: async () => ({ feePerDaGas: 0n, feePerL2Gas: 0n }),
    predictedMinFees: async (usage: string) => {
      usages.push(usage);
      return [];
    },
  };
  const { ask: askFees } = svc({ fees });
  for (const usage of [null, "none", "limit"]) await askFees("svc_getPredictedMinFees", usage);
  expect(usages).toEqual(["target", "none", "limit"]);
});

describe("validators and peers", () => {
  const validator = {
    address: new Uint8Array(20).fill(0xab),
    lastProposal: { timestamp: 5n, slot: 1, date: "1970-01-01T00:00:05.000Z" },
    totalSlots: 2,
    missedProposals: { currentStreak: 0, count: 0, total: 1 },
    missedAttestations: { currentStreak: 1, rate: 0.5, count: 1, total: 2 },
    history: [{ slot: 1, status: "checkpoint-mined" as const }],
  };
  const shown = {
    ...validator,
    address: `0x${"ab".repeat(20)}`,
    lastProposal: { ...validator.lastProposal, timestamp: "5" },
  };

  test("validator statistics are empty or those of the service", async () => {
    for (const namespace of ["svc", "node"]) {
      expect(await ask(`${namespace}_getValidatorsStats`)).toEqual({ stats: {}, slotWindow: 0 });
    }
    const address = shown.address;
    expect(await ask("svc_getValidatorStats", address)).toBeNull();
    const asked: unknown[] = [];
    const validatorStats: NodeServices["validatorStats"] = {
      all: () => ({ stats: [validator], slotWindow: 9, initialSlot: 1 }),
      of: (...params) => {
        asked.push(params.map((one) => (one instanceof Uint8Array ? toHex(one) : one)));
        return { validator, allTimeProvenPerformance: [{ missed: 1, total: 2, epoch: 3 }], slotWindow: 9 };
      },
    };
    const keeping = svc({ validatorStats });
    expect(await keeping.ask("svc_getValidatorsStats")).toEqual({
      stats: { [address]: shown },
      initialSlot: 1,
      slotWindow: 9,
    });
    expect(await keeping.ask("node_getValidatorStats", address, "1", 2)).toEqual({
      validator: shown,
      allTimeProvenPerformance: [{ missed: 1, total: 2, epoch: 3 }],
      slotWindow: 9,
    });
    expect(asked).toEqual([[address, 1, 2]]);
  });

  test("svc_ gives peers, attestations and proposals", async () => {
    expect(await ask("svc_getPeers", true)).toEqual([]);
    expect(await ask("svc_getCheckpointAttestationsForSlot", "5")).toEqual([]);
    expect(await ask("svc_getProposalsForSlot", 5)).toEqual({ blockProposals: [], checkpointProposals: [] });
    expect(await ask("svc_getCheckpointAttestationsForSlot", 5, "abc")).toEqual([
      -32701,
      "A payload hash has 64 hex digits, received 3 (1)",
    ]);

    const header = checkpoints[0].header;
    const signature = wireSignature(new Uint8Array(65).fill(1));
    const signed = { header, archive: wordOf(1), feeAssetPriceModifier: signedBytes(-3n), signature };
    const block = {
      ...signed,
      header: GENESIS_BLOCK.header,
      indexWithinCheckpoint: 0,
      inHash: wordOf(2),
      archiveRoot: wordOf(3),
      txHashes: wordOf(4),
      signedTxs: undefined,
    };
    const asked: unknown[] = [];
    const p2p: NodeServices["p2p"] = {
      enr: () => undefined,
      peers: (includePending) => (includePending ? [{ status: "connected", id: "a", score: 1 }] : []),
      attestations: (slot, of) => {
        asked.push([slot, of && "payloadHash" in of && toHex(of.payloadHash)]);
        return [{ ...signed, proposerSignature: signature }];
      },
      proposals: () => ({ blocks: [block], checkpoints: [signed] }),
    };
    const { ask: askPeers } = svc({ p2p });
    const context = { chainId: 31337, rollupAddress: IDENTITY.addresses.rollupAddress };
    const text = `0x${"01".repeat(65)}`;
    expect(await askPeers("svc_getPeers", true)).toEqual([{ status: "connected", id: "a", score: 1 }]);
    expect(await askPeers("svc_getCheckpointAttestationsForSlot", 5, "ff".repeat(32))).toMatchObject([
      {
        payload: {
          header: { slotNumber: 70 },
          archive: toHex(wordOf(1)),
          feeAssetPriceModifier: "-3",
          signatureContext: context,
        },
        signature: text,
        proposerSignature: text,
      },
    ]);
    expect(asked).toEqual([[5, `0x${"ff".repeat(32)}`]]);
    expect(await askPeers("svc_getProposalsForSlot", 5)).toMatchObject({
      blockProposals: [
        {
          indexWithinCheckpoint: 0,
          inHash: toHex(wordOf(2)),
          archiveRoot: toHex(wordOf(3)),
          txHashes: [toHex(wordOf(4))],
          signature: text,
          signatureContext: context,
        },
      ],
      checkpointProposals: [
        {
          checkpointHeader: { slotNumber: 70 },
          archive: toHex(wordOf(1)),
          feeAssetPriceModifier: "-3",
          signatureContext: context,
        },
      ],
    });
  });
});

test("registered function signatures are bounded in number and length", async () => {
  const signatures = new FunctionSignatures();
  const nameOf = (signature: string) => {
    const value = selector(core, signature);
    return signatures.nameOf(Uint8Array.from([24, 16, 8, 0], (shift) => value >>> shift));
  };
  const { ask: askDebug } = svc({ core, signatures });
  for (let i = 0; i < 15; i++) {
    const given = Array.from({ length: 100 }, (_, k) => `f${i * 100 + k}${"x".repeat(300)}(Field)`);
    expect(await askDebug("svc_registerContractFunctionSignatures", given)).toBeNull();
  }
  expect(signatures.size).toBe(1000);
  expect(nameOf(`f499${"x".repeat(300)}(Field)`)).toBeUndefined();
  expect(nameOf(`f500${"x".repeat(300)}(Field)`)).toMatch(/^f500x{252}$/);
  expect(nameOf(`f1499${"x".repeat(300)}(Field)`)).toMatch(/^f1499x{251}$/);
});

test("registered functions are found by selector, and impossible signatures are ignored", async () => {
  const signatures = new FunctionSignatures();
  const { ask: askDebug } = svc({ core, signatures });
  const given = ["transfer_in_public((Field),(Field),u128,Field)", "no spaces(Field)", "()", "", "constructor"];
  given.push(`long(${"Field,".repeat(200)})`);
  expect(await askDebug("svc_registerContractFunctionSignatures", given)).toBeNull();
  expect(signatures.nameOf(Uint8Array.of(0x8c, 0x9e, 0x54, 0x72))).toBe("transfer_in_public");
  expect(signatures.size).toBe(2);
});

test("the list of allowed setup calls begins with the built-in ones", async () => {
  const allowed = [{ classId: wordOf(1), selector: Uint8Array.of(1, 2, 3, 4) }];
  const list = (await svc({ setup: { allowed: () => allowed } }).ask("svc_getAllowedPublicSetup")) as object[];
  expect(list).toHaveLength(4);
  expect(list[1]).toEqual({
    address: toHex(bigUintBytes(1n, 32)),
    selector: "0xb839de91",
    calldataLength: 3,
    rejectNullMsgSender: true,
  });
  expect(list[3]).toEqual({ classId: toHex(wordOf(1)), selector: "0x01020304" });
});
