import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.ts";
import type { NodeServices } from "../../../src/rpc/ports/node-services.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { asker } from "../../world/rpc/ask.ts";
import { fakeServices, wordOf } from "../../world/rpc/fakes.ts";

const registry = publicRegistry(fakeServices());
const namespaces = ["svc", "node"] as const;
const methods = namespaces.flatMap((namespace) =>
  registry.in(namespace).map((method) => ({ name: `${namespace}_${method.name}`, params: method.params[namespace]! })),
);
const { ask, log } = asker();

/**
 * Names of the methods in docs/protocol/05-rpc.md#516-reading-blocks to
 * docs/protocol/05-rpc.md#533-aids-for-development.
 */
const SHARED =
  `isReady getNodeInfo getNodeVersion getVersion getChainId getL1ContractAddresses getProtocolContractAddresses
  getEncodedEnr getAllowedPublicSetup registerContractFunctionSignatures getCurrentMinFees getMaxPriorityFees getValidatorsStats
  getValidatorStats getBlockNumber getCheckpointNumber getBlock getBlocks getCheckpoints getWorldStateSyncStatus getPublicStorageAt
  findLeavesIndexes getNullifierMembershipWitness getLowNullifierMembershipWitness getPublicDataWitness
  getBlockHashMembershipWitness getNoteHashMembershipWitness getL1ToL2MessageMembershipWitness getL1ToL2MessageCheckpoint
  getL2ToL1Messages sendTx isValidTx simulatePublicCalls getTxReceipt getTxEffect getTxByHash getTxsByHash getPendingTxs
  getPendingTxCount getPrivateLogsByTags getContract getContractClass getChainTips`.split(/\s+/);
const ONLY = {
  node: `getProvenBlockNumber getCheckpointedBlockNumber getL2Tips getBlockByHash getBlockByArchive getBlockHeader
    getBlockHeaderByArchive getCheckpointedBlocks getCheckpointsDataForEpoch isL1ToL2MessageSynced getPublicLogs
    getContractClassLogs getPublicLogsByTagsFromContract`.split(/\s+/),
  svc: `getL1Constants getSyncedL2SlotNumber getSyncedL2EpochNumber getSyncedL1Timestamp getBlockData getCheckpoint
    getCheckpointsData getPredictedMinFees getPeers getCheckpointAttestationsForSlot getProposalsForSlot
    getL2ToL1MembershipWitness getPublicLogsByTags subscribe unsubscribe`.split(/\s+/),
};

test.each([
  ["node", 56],
  ["svc", 58],
] as const)("namespace %s has exactly its %i methods", (namespace, count) => {
  const names = registry.in(namespace).map(({ name }) => name);
  expect(names.toSorted()).toEqual([...SHARED, ...ONLY[namespace]].toSorted());
  expect(names).toHaveLength(count);
});

test("a method of the other namespace is not found", async () => {
  for (const [own, other] of [
    ["node", "svc"],
    ["svc", "node"],
  ] as const) {
    for (const name of ONLY[other]) {
      expect(await ask(`${own}_${name}`)).toEqual([-32601, `Method not found: ${own}_${name}`]);
    }
  }
});

const HASH = toHex(wordOf(0x11));
const ADDRESS = toHex(wordOf(5));
const TX_FORM =
  "Required (0.contractClassLogFields). Required (0.publicFunctionCalldata). Invalid input (0.data). Invalid input (0.chonkProof)";
const NO_HASH = [
  -32702,
  "Attempted to read beyond buffer length. Start index: 0, Num bytes to read: 32, Buffer length: 0",
];
const SHORT_HASH = [-32701, "A tx hash has 64 hex digits, received 1 (0)"];
const SHORT_ADDRESS = (at: number) => [-32701, `An address has 64 hex digits, received 1 (${at})`];
const blockForms = (received: string) => [
  -32701,
  expect.stringMatching(new RegExp(`^Expected a block number, .*, received ${received} \\(0\\)$`)),
];
const tooMany = (n: number, at = "0") => [-32701, `Array must contain at most ${n} element(s) (${at})`];
const word = (at: number) => [-32701, `Expected string, received number (${at})`];

/** By method: wrong parameters, the expected error, and the namespace if only one has this case. */
const WRONG: Record<string, [params: unknown[], answer: unknown, only?: "svc" | "node"][]> = {
  subscribe: [
    [["headers"], expect.arrayContaining([-32701])],
    [
      ["tips", { tags: [HASH] }],
      [-32701, "Not an option of 'tips' (1.tags)"],
    ],
    [["transaction"], [-32701, "Required (1.txHash)"]],
  ],
  unsubscribe: [[[1], [-32701, "Expected string, received number (0)"]]],
  getBlockNumber: [[["latest"], expect.arrayContaining([-32701]), "svc"]],
  getCheckpointNumber: [[[5], expect.arrayContaining([-32701]), "svc"]],
  getBlock: [
    [["Latest"], [-32701, "Invalid input (0)"], "node"],
    [["Latest"], blockForms("'Latest'"), "svc"],
  ],
  getBlockData: [[[true], blockForms("boolean")]],
  getBlockByHash: [[[1], word(0)]],
  getBlockByArchive: [[["xyz"], [-32701, "Not a valid hex string (0)"]]],
  getBlockHeader: [[["finalized"], [-32701, "Invalid input (0)"]]],
  getBlockHeaderByArchive: [[[null], [-32701, "Expected string, received null (0)"]]],
  getBlocks: [
    [
      [0, 1],
      [-32701, "Number must be greater than or equal to 1 (0)"],
    ],
    [
      [1, "1"],
      [-32701, "Expected number, received string (1)"],
    ],
  ],
  getCheckpoint: [
    [["latest"], [-32701, expect.stringMatching(/^Expected a checkpoint number, .*received 'latest' \(0\)$/)]],
  ],
  getCheckpoints: [
    [
      [1, 0],
      [-32701, "Number must be greater than 0 (1)"],
    ],
  ],
  getCheckpointedBlocks: [
    [
      [1, 51],
      [-32701, "Number must be less than or equal to 50 (1)"],
    ],
  ],
  getCheckpointsData: [[[5], [-32701, expect.stringMatching(/^Expected an object with the keys .*received 5 \(0\)$/)]]],
  getCheckpointsDataForEpoch: [[[-1], [-32701, "Number must be greater than or equal to 0 (0)"]]],
  sendTx: [
    [[{}], [-32701, TX_FORM]],
    [[null], [-32701, "Expected object, received null (0)"]],
  ],
  isValidTx: [
    [
      [{}, { isSimulation: 1 }],
      [-32701, `${TX_FORM}. Expected boolean, received number (1.isSimulation)`],
    ],
  ],
  simulatePublicCalls: [
    [
      [{}, "true"],
      [-32701, `${TX_FORM}. Expected boolean, received string (1)`],
    ],
  ],
  getTxReceipt: [
    [["0x1"], NO_HASH, "node"],
    [["0x1"], SHORT_HASH, "svc"],
    [[HASH, { includeProof: 1 }], [-32701, "Expected boolean, received number (1.includeProof)"], "svc"],
  ],
  getTxEffect: [
    [["0x1"], NO_HASH, "node"],
    [["0x1"], SHORT_HASH, "svc"],
  ],
  getTxByHash: [[["xyz"], [-32701, "Not a valid hex string (0)"]]],
  getTxsByHash: [
    [[HASH], [-32701, "Expected array, received string (0)"]],
    [[new Array(51).fill(HASH)], tooMany(50), "node"],
    [[new Array(101).fill(HASH)], tooMany(100), "svc"],
  ],
  getPendingTxs: [
    [[0], [-32701, "Number must be greater than or equal to 1 (0)"]],
    [[51], [-32701, "Number must be less than or equal to 50 (0)"], "node"],
    [[1, 5], word(1)],
  ],
  getPublicStorageAt: [
    [["latest", "0x5", "0x1"], [-32701, "Invalid input (1)"], "node"],
    [["latest", "0x5", "0x1"], SHORT_ADDRESS(1), "svc"],
    [["latest", ADDRESS, 1], word(2)],
  ],
  findLeavesIndexes: [
    [
      ["latest", 5, []],
      [-32701, "Invalid enum value. Expected 0 | 1 | 2 | 3 | 4, received '5' (1)"],
    ],
    [["latest", 0, new Array(101).fill("0x1")], tooMany(100, "2")],
  ],
  getNullifierMembershipWitness: [[["latest", 1], word(1)]],
  getLowNullifierMembershipWitness: [
    [["latest", "0x"], [-32702, 'Invalid hex-encoded string: "0x"'], "node"],
    [["latest", "0x"], [-32701, "A field has 1 to 64 hex digits, received 0 (1)"], "svc"],
  ],
  getPublicDataWitness: [
    [[-1, "0x1"], [-32701, "Invalid input (0)"], "node"],
    [[-1, "0x1"], blockForms("-1"), "svc"],
  ],
  getBlockHashMembershipWitness: [
    [
      ["latest", "latest"],
      [-32701, "Not a valid hex string (1)"],
    ],
  ],
  getNoteHashMembershipWitness: [[[{ x: 1 }, "0x1"], expect.arrayContaining([-32701])]],
  getL1ToL2MessageMembershipWitness: [
    [
      ["latest", {}],
      [-32701, "Expected string, received object (1)"],
    ],
  ],
  getL1ToL2MessageCheckpoint: [[[1], word(0)]],
  isL1ToL2MessageSynced: [[[1], word(0)]],
  getL2ToL1Messages: [[["abc"], [-32701, "Expected number, received nan (0)"]]],
  getL2ToL1MembershipWitness: [
    [
      [HASH, "0x1", -1],
      [-32701, "Number must be greater than or equal to 0 (2)"],
    ],
    [
      [HASH, "0x1", {}],
      [-32701, "Invalid input (2)"],
    ],
  ],
  getPublicLogs: [
    [[{ fromBlock: null }], [-32701, "Invalid input (0.fromBlock)"]],
    [[{ txHash: "0x1", tag: "abcd" }], NO_HASH],
  ],
  getContractClassLogs: [[[null], [-32701, "Expected object, received null (0)"]]],
  getPrivateLogsByTags: [
    [["0x1"], [-32701, "Expected array, received string (0)"], "node"],
    [[["0x1"], -1], [-32701, "Number must be greater than or equal to 0 (1)"], "node"],
    [["0x1"], [-32701, "Expected object, received string (0)"], "svc"],
  ],
  getPublicLogsByTagsFromContract: [
    [
      ["0x5", ["0x1"]],
      [-32701, "Invalid input (0)"],
    ],
  ],
  getPublicLogsByTags: [[[{ tags: ["0x1"] }], [-32701, "Required (0.contractAddress)"]]],
  getContractClass: [[[1], word(0)]],
  getContract: [
    [[5], [-32701, "Invalid input (0)"], "node"],
    [[5], word(0), "svc"],
  ],
  getPredictedMinFees: [[[1], [-32701, "Expected 'none' | 'target' | 'limit', received number (0)"]]],
  getValidatorStats: [
    [["0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266"], [-32701, "Not a valid instance (0)"]],
    [["0x1"], [-32701, "Not a valid instance (0)"]],
    [
      [`0x${"11".repeat(20)}`, -1],
      [-32701, "Number must be greater than or equal to 0 (1)"],
    ],
  ],
  getPeers: [[["yes"], [-32701, "Expected boolean, received string (0)"]]],
  getCheckpointAttestationsForSlot: [[[-1], [-32701, "Number must be greater than or equal to 0 (0)"]]],
  getProposalsForSlot: [[[null], [-32701, "Invalid input (0)"]]],
  registerContractFunctionSignatures: [
    [[[1]], [-32701, "Expected string, received number (0.0)"]],
    [[new Array(101).fill("a")], tooMany(100)],
    [[["x".repeat(10_001)]], [-32701, "String must contain at most 10000 character(s) (0.0)"]],
  ],
};

test.each(methods)("$name refuses wrong parameters", async ({ name, params }) => {
  const [namespace, method] = name.split("_");
  for (const [given, answer, only = namespace] of WRONG[method] ?? []) {
    if (only === namespace) expect(await ask(name, ...given), JSON.stringify(given).slice(0, 200)).toEqual(answer);
  }
  if (params.some(({ codec }) => !("optional" in codec))) {
    const required = params.filter(({ codec }) => !("optional" in codec)).length;
    const least = namespace === "svc" ? required : params.length;
    expect(await ask(name)).toEqual([-32701, `Array must contain at least ${least} element(s) ()`]);
  }
  if (params.length > 0) expect(WRONG[method]).toBeDefined();
  const surplus = await ask(name, ...new Array(params.length + 1).fill(null));
  const refusal = `Array must contain at most ${params.length} element(s) ()`;
  if (namespace === "svc") expect(surplus).toEqual([-32701, expect.stringContaining(refusal)]);
  else expect(surplus).not.toEqual([-32701, expect.stringContaining(refusal)]);
});

describe("arbitrary parameters", () => {
  const scalars = fc.oneof(
    fc.constantFrom<unknown[]>(
      "latest",
      "proven",
      "finalized",
      "",
      "0x",
      "abcd",
      "5",
      " 1",
      "1e3",
      HASH,
      ADDRESS,
      null,
      true,
    ),
    fc.constantFrom<unknown>(0, 1, -1, 1.5, 50, 51, 1e300, 2 ** 32, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY),
    fc.integer({ min: 0, max: 5 }),
    fc.string(),
    fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHex),
  );
  const KEYS = [
    ..."number hash archive tag slot from limit epoch fromSlot reverse tags tag afterLog blockNumber txHash toBlock".split(
      " ",
    ),
    ..."fromBlock txIndex logIndex blockHash txIndexWithinBlock logIndexWithinTx contractAddress includeEffects".split(
      " ",
    ),
    ..."limitPerTag referenceBlock includeBlocks includeTransactions includeProof data chonkProof type fields".split(
      " ",
    ),
    ..."contractClassLogFields publicFunctionCalldata values publicStorage contracts instance __proto__ toString".split(
      " ",
    ),
  ];
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      scalars,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { maxKeys: 6 }),
    ),
  }));
  // Results of the services do not matter here; the fakes return values of the right type.
  const { ask: askAny, log: faults } = asker({
    mempool: { ...fakeServices().mempool, submit: async () => {} },
  } satisfies Partial<NodeServices>);

  test.each(methods.filter(({ params }) => params.length > 0))(
    "$name answers arbitrary parameters without a logged error",
    async ({ name, params }) => {
      const run = async (given: unknown[]) => {
        // Sent as JSON text, like a client does: JSON drops or changes some generated values.
        const sent = JSON.parse(JSON.stringify(given));
        const answer = await askAny(name, ...sent);
        if (Array.isArray(answer) && typeof answer[0] === "number" && answer[0] < 0) {
          expect([-32701, -32702]).toContain(answer[0]);
          expect(typeof answer[1]).toBe("string");
        }
        expect(faults.entries).toEqual([]);
      };
      await fc.assert(fc.asyncProperty(fc.array(value, { minLength: params.length, maxLength: params.length }), run), {
        numRuns: 60,
      });
    },
  );

  test("no wrong or arbitrary parameter logs an error", () => expect([...log.entries, ...faults.entries]).toEqual([]));
});
