import { describe, expect, test } from "vitest";
import type { ContractInstance } from "../../../src/archiver/content-types.ts";
import { headerTimestamp } from "../../../src/protocol/block-header.ts";
import { concat, toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import type { Issue } from "../../../src/rpc/codecs/json/codec.ts";
import { simulationOverrides } from "../../../src/rpc/codecs/shared/simulation-overrides.ts";
import { openRpcDocument } from "../../../src/rpc/openrpc/document.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { asker } from "../../world/rpc/ask.ts";
import { fakeChain, fakeContent, fakeServices, fakeWorld, IDENTITY, wordOf } from "../../world/rpc/fakes.ts";

const of = (generation: typeof V4) => ({ chain: fakeChain({ generation, latest: 0 }), world: fakeWorld(0) });
const word = (byte: number) => toHex(wordOf(byte));

describe("what JSON-RPC says of a rollup of v5", () => {
  const { ask } = asker(of(V5));

  test.each<[unknown, string]>([
    [
      word(0x2e),
      `Block hash ${word(0x2e)} not found when resolving query. If the node API has been queried with anchor block hash possibly a reorg has occurred.`,
    ],
    [{ archive: word(0x2e) }, `Block with archive ${word(0x2e)} not found when resolving query.`],
    [{ number: 4 }, "Block not found for number=4 when resolving query."],
    [4, "Block not found for number=4 when resolving query."],
  ])("reference block %j is refused in its words", async (reference, message) => {
    expect(await ask("svc_getNoteHashMembershipWitness", reference, "0x1")).toEqual([-32702, message]);
  });

  test("a state that is no longer kept is refused with the oldest block that is", async () => {
    const pruned = fakeWorld(9, { status: () => ({ tip: 9, finalized: 8, oldest: 7 }) });
    const { ask: askPruned } = asker({ chain: fakeChain({ generation: V5, latest: 9 }), world: pruned });
    expect(await askPruned("svc_findLeavesIndexes", 3, 0, ["0x1"])).toEqual([
      -32702,
      "Unable to find leaf for block 3 in the archive tree: world state history has been pruned to block 7",
    ]);
    expect(await askPruned("svc_findLeavesIndexes", 7, 0, ["0x1"])).toEqual([null]);
    // A contract takes the block's time, not its state.
    expect(await askPruned("svc_getContract", word(1), 3)).toBeNull();
  });

  test("a list has at most 50 blocks, checkpoints or pending transactions", async () => {
    const refused = [-32701, "Number must be less than or equal to 50 (1)"];
    expect(await ask("svc_getBlocks", 1, 51)).toEqual(refused);
    expect(await ask("svc_getCheckpoints", 1, 51)).toEqual(refused);
    expect(await ask("svc_getBlocks", 1, 50)).toEqual([]);
    expect(await ask("svc_getPendingTxs", 51)).toEqual([-32701, "Number must be less than or equal to 50 (0)"]);
  });

  test("constants name the L1 block of the deployment and the archive root of genesis", async () => {
    expect(await ask("svc_getL1Constants")).toMatchObject({
      l1StartBlockHash: toHex(IDENTITY.l1StartBlockHash),
      genesisArchiveRoot: toHex(IDENTITY.genesisArchiveRoot),
    });
    expect(await asker(of(V4)).ask("svc_getL1Constants")).not.toHaveProperty("genesisArchiveRoot");
  });

  test("attestations of p2p_ are those of svc_, and the pool's transactions have their options", () => {
    const registry = publicRegistry(fakeServices(of(V5)));
    for (const name of ["getCheckpointAttestationsForSlot", "getPendingTxs"]) {
      const { params, encode } = registry.find("p2p", name)!;
      expect(params.p2p).toBe(params.svc);
      expect(encode.p2p).toBe(encode.svc);
    }
  });

  test("node_ is another name of svc_, which its description says", () => {
    const registry = publicRegistry(fakeServices(of(V5)));
    const { info, methods } = openRpcDocument(registry, ["svc", "node"]);
    expect(info.description).toContain("Methods of svc_ are served as node_ too.");
    expect(methods.map(({ name }) => name)).not.toContain("node_getL2Tips");
    expect(registry.find("node", "getL2Tips")).toBeUndefined();
    expect(registry.find("node", "getChainTips")).toBe(registry.find("svc", "getChainTips"));
  });
});

describe("contracts of a rollup of v5", () => {
  const keys = V5.contracts.defaultPublicKeys;
  const instance: ContractInstance = {
    address: wordOf(1),
    salt: wordOf(2),
    deployer: wordOf(3),
    currentContractClassId: wordOf(4),
    originalContractClassId: wordOf(5),
    initializationHash: wordOf(6),
    immutablesHash: wordOf(7),
    publicKeys: keys,
    blockNumber: 9,
  };
  const times: (bigint | undefined)[] = [];
  const content = fakeContent({
    contractInstance: (_address, timestamp) => {
      times.push(timestamp);
      return instance;
    },
    contractClass: () => ({
      id: wordOf(1),
      artifactHash: wordOf(2),
      privateFunctionsRoot: wordOf(3),
      packedBytecode: Uint8Array.of(1, 2),
      blockNumber: 4,
    }),
  });
  const { ask } = asker({ ...of(V5), content });

  test("an instance has version 2, its immutables and its keys as hashes and one point", async () => {
    const key = (at: number) => toHex(keys.subarray(at * 32, at * 32 + 32));
    expect(await ask("svc_getContract", word(1))).toEqual({
      version: 2,
      salt: word(2),
      deployer: word(3),
      currentContractClassId: word(4),
      originalContractClassId: word(5),
      initializationHash: word(6),
      immutablesHash: word(7),
      publicKeys: {
        npkMHash: key(0),
        ivpkM: toHex(concat(keys.subarray(32, 96))),
        ovpkMHash: key(3),
        tpkMHash: key(4),
        mspkMHash: key(5),
        fbpkMHash: key(6),
      },
      address: word(1),
    });
  });

  test("an instance is found as of a block before its deployment, with the class of that time", async () => {
    expect(await ask("svc_getContract", word(1), 0)).toMatchObject({ address: word(1) });
    expect(times.at(-1)).toBe(headerTimestamp(fakeChain().block(0)!.header));
    expect(await asker({ ...of(V4), content }).ask("svc_getContract", word(1), 0)).toBeNull();
  });

  test.each([V4, V5])("a contract of %o.name is read in the form in which it is shown", async (generation) => {
    const { publicKeyMembers, defaultPublicKeys, bindsImmutables } = generation.contracts;
    const published = { ...instance, publicKeys: defaultPublicKeys, blockNumber: 0 };
    const shown = await asker({
      ...of(generation),
      content: fakeContent({ contractInstance: () => published }),
    }).ask("svc_getContract", word(1));
    const issues: Issue[] = [];
    const given = { contracts: { [word(1)]: { instance: shown } } };
    const [override] = simulationOverrides(generation.contracts).read(given, [], issues).contracts;
    expect(issues).toEqual([]);
    expect(publicKeyMembers.length).toBeGreaterThan(0);
    expect(toHex(override.instance.publicKeys)).toBe(toHex(defaultPublicKeys));
    expect(override.instance.immutablesHash).toEqual(bindsImmutables ? Buffer.from(wordOf(7)) : undefined);
    const other = { ...(shown as object), version: 3 };
    simulationOverrides(generation.contracts).read({ contracts: { [word(1)]: { instance: other } } }, [], issues);
    expect(issues).toHaveLength(1);
  });

  test("a class has no members for functions that are published apart from it", async () => {
    const shown = await ask("svc_getContractClass", word(1));
    expect(shown).toMatchObject({ id: word(1), l2BlockNumber: 4 });
    expect(shown).not.toHaveProperty("privateFunctions");
    expect(await asker({ ...of(V4), content }).ask("svc_getContractClass", word(1))).toHaveProperty("privateFunctions");
  });
});
