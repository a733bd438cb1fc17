import { describe, expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.ts";
import { chain, EPOCH, svc } from "../../world/rpc/development-chain.ts";
import { fakeWorld, IDENTITY, wordOf } from "../../world/rpc/fakes.ts";

const { ask, respond } = svc();

test("svc_ refuses surplus parameters; node_ ignores them", async () => {
  expect(await ask("svc_getVersion", 1)).toEqual([-32701, "Array must contain at most 0 element(s) ()"]);
  expect(await ask("svc_getBlockNumber", "proposed", null)).toEqual([
    -32701,
    "Array must contain at most 1 element(s) ()",
  ]);
  expect(await ask("node_getVersion", 1)).toBe(344372055);
});

test("the error of a short parameter list counts required ones in svc_, and all in node_", async () => {
  expect(await ask("svc_getBlock")).toEqual([-32701, "Array must contain at least 1 element(s) ()"]);
  expect(await ask("svc_getBlocks", 1)).toEqual([-32701, "Array must contain at least 2 element(s) ()"]);
  expect(await ask("svc_getPrivateLogsByTags")).toEqual([-32701, "Array must contain at least 1 element(s) ()"]);
  expect(await ask("node_getPrivateLogsByTags")).toEqual([-32701, "Array must contain at least 3 element(s) ()"]);
});

test("svc_ reads words as hex with and without 0x; node_ refuses hex without 0x", async () => {
  const asked: string[] = [];
  const { ask: askRead } = svc({
    world: fakeWorld(3, { findLeaf: (_block, _tree, value) => void asked.push(toHex(value)) }),
  });
  for (const text of ["0x10", "10", "0xaB", "Ab", toHex(wordOf(0x21)), toHex(wordOf(0x21)).slice(2)]) {
    expect(await askRead("svc_getNoteHashMembershipWitness", "latest", text)).toBeNull();
  }
  const word = (digits: string) => `0x${digits.padStart(64, "0")}`;
  expect(asked).toEqual([word("10"), word("10"), word("ab"), word("ab"), toHex(wordOf(0x21)), toHex(wordOf(0x21))]);
  expect(await askRead("node_getNoteHashMembershipWitness", "latest", "Ab")).toEqual([
    -32702,
    "Tried to create a Fr from an invalid string: Ab",
  ]);
});

test.each([
  ["svc_getTxReceipt", ["0x12"], "A tx hash has 64 hex digits, received 2 (0)"],
  ["svc_getTxEffect", ["1".repeat(66)], "A tx hash has 64 hex digits, received 66 (0)"],
  ["svc_getBlockHashMembershipWitness", [1, "0x1"], "A block hash has 64 hex digits, received 1 (1)"],
  ["svc_getContract", ["0x5"], "An address has 64 hex digits, received 1 (0)"],
  ["svc_getPublicStorageAt", [1, toHex(wordOf(5)), "0x"], "A field has 1 to 64 hex digits, received 0 (2)"],
  ["svc_getContractClass", [`0x${"0".repeat(65)}`], "A field has 1 to 64 hex digits, received 65 (0)"],
])("%s of %j is refused with the expected number of digits", async (method, params, message) => {
  expect(await ask(method, ...params)).toEqual([-32701, message]);
});

test("optional parameters may be null or left out", async () => {
  expect(await ask("svc_getBlockNumber", null)).toBe(3);
  expect(await ask("svc_getPeers")).toEqual([]);
});

test("an empty result is null in svc_, and missing in node_", async () => {
  expect((await respond("svc_getBlock", [99])).body).toEqual({ id: 1, result: null });
  expect((await respond("node_getBlock", [99])).body).toEqual({ id: 1, result: null });
  expect((await respond("svc_registerContractFunctionSignatures", [[]])).body).toEqual({ id: 1, result: null });
  expect((await respond("node_registerContractFunctionSignatures", [[]])).body).toEqual({ id: 1, result: null });
});

describe("block selectors", () => {
  test.each<[unknown, number | undefined]>([
    [{ number: 2 }, 2],
    [{ number: "2" }, 2],
    [{ hash: toHex(wordOf(0x13)) }, 3],
    [{ archive: toHex(wordOf(0x22)) }, 2],
    [{ archive: toHex(IDENTITY.genesisArchiveRoot) }, 0],
    [{ tag: "proven" }, 1],
    [{ number: 1, hash: toHex(wordOf(0x13)) }, 3],
    [{ number: 1, extra: true }, 1],
    [toHex(wordOf(0x13)), 3],
    [toHex(wordOf(0x13)).slice(2), 3],
    [toHex(wordOf(0x13)).slice(2).toUpperCase(), 3],
    [toHex(wordOf(0x22)), 2],
    [toHex(wordOf(0x22)).slice(2), 2],
    [toHex(IDENTITY.genesisArchiveRoot), 0],
    [toHex(wordOf(0x2f)), undefined],
    [{ hash: toHex(wordOf(0x13)).slice(2) }, 3],
    [{ archive: toHex(wordOf(0x22)).slice(2) }, 2],
    ["latest", 3],
    ["proposed", 3],
    ["checkpointed", 2],
    ["proven", 1],
    ["finalized", 0],
    [2, 2],
    [0, 0],
    [4, undefined],
  ])("block selector %j selects block %s", async (selector, number) => {
    const block = (await ask("svc_getBlock", selector)) as { number: number } | null;
    expect(block?.number).toBe(number);
    const data = (await ask("svc_getBlockData", selector)) as { blockHash: string } | null;
    expect(data?.blockHash).toBe(number === undefined ? undefined : toHex(chain.block(number)!.hash));
  });

  const either = (got: string) =>
    "A block parameter object must name exactly one block, via a single one of number, hash, archive, tag or via " +
    `number and hash together, but got [${got}] (0)`;
  const forms = (received: string) =>
    "Expected a block number, a block hash or archive root of 64 hex digits, one of latest | proposed | checkpointed | " +
    `proven | finalized, or an object with one of number, hash, archive and tag, received ${received} (0)`;
  const tooShort = (digits: number) =>
    `A block hash or archive root has 64 hex digits, received ${digits}; a block number is a JSON number (0)`;
  test.each<[unknown, string]>([
    [{}, either("")],
    [{ number: 1, tag: "proven" }, either("number, tag")],
    [
      { tag: "latest" },
      "Invalid enum value. Expected 'proposed' | 'checkpointed' | 'proven' | 'finalized', received 'latest' (0.tag)",
    ],
    [{ number: -1 }, "Number must be greater than or equal to 0 (0.number)"],
    [{ hash: 5 }, "Expected string, received number (0.hash)"],
    [{ hash: "0x5" }, "A block hash has 64 hex digits, received 1 (0.hash)"],
    [{ archive: "xyz" }, "Not a valid hex string (0.archive)"],
    [{ archive: "12" }, "An archive root has 64 hex digits, received 2 (0.archive)"],
    ["5", tooShort(1)],
    ["0xabc", tooShort(3)],
    ["abc", tooShort(3)],
    ["0".repeat(66), tooShort(66)],
    [-1, forms("-1")],
    [1.5, forms("1.5")],
    ["pending", forms("'pending'")],
    ["", forms("''")],
    ["0x", forms("'0x'")],
    [" 1", forms("' 1'")],
    [[], forms("array")],
    [null, forms("null")],
  ])("block selector %j is refused", async (selector, message) => {
    expect(await ask("svc_getBlock", selector)).toEqual([-32701, message]);
  });
});

test.each([
  ["svc_getBlockNumber", 3, 3, 2, 1, 0],
  ["svc_getCheckpointNumber", 2, 2, 2, 1, 0],
])("%s takes a tip and refuses anything else", async (method, ...numbers) => {
  const tips = [undefined, "proposed", "checkpointed", "proven", "finalized"];
  for (const [i, name] of tips.entries()) expect(await ask(method, ...(name ? [name] : []))).toBe(numbers[i]);
  expect(await ask(method, "latest")).toEqual([
    -32701,
    "Invalid enum value. Expected 'proposed' | 'checkpointed' | 'proven' | 'finalized', received 'latest' (0)",
  ]);
  expect(await ask(method, 1)).toMatchObject([-32701, expect.stringContaining("received number (0)")]);
});

describe("checkpoint selectors", () => {
  test.each<[unknown, number | undefined]>([
    [1, 1],
    ["2", 2],
    [{ number: 2 }, 2],
    [{ slot: 70 }, 1],
    [{ slot: 75 }, 2],
    [{ slot: 71 }, undefined],
    [{ slot: 1e18 }, undefined],
    ["checkpointed", 2],
    ["proposed", 2],
    ["proven", 1],
    ["finalized", undefined],
    [0, undefined],
    [3, undefined],
    [1e300, undefined],
  ])("checkpoint selector %j selects checkpoint %s", async (selector, number) => {
    const found = (await ask("svc_getCheckpoint", selector)) as { number: number } | null;
    expect(found?.number).toBe(number);
  });

  test.each([
    ["latest", "'latest'"],
    [{}, "the keys []"],
    [{ number: 1, slot: 1 }, "the keys [number, slot]"],
    [{ number: 1, x: 1 }, "the keys [number, x]"],
    [null, "null"],
    [true, "boolean"],
    ["0x1z", "'0x1z'"],
  ])("checkpoint selector %j is refused with the allowed forms", async (selector, received) => {
    const forms =
      "Expected a checkpoint number, one of proposed | checkpointed | proven | finalized, or an object with exactly one of " +
      `number and slot, received ${received} (0)`;
    expect(await ask("svc_getCheckpoint", selector)).toEqual([-32701, forms]);
  });
});

describe("checkpoint queries", () => {
  test.each<[unknown, number[]]>([
    [{ from: 1, limit: 5 }, [1, 2]],
    [{ from: 2, limit: 200 }, [2]],
    [{ from: 3, limit: 1 }, []],
    [{ epoch: EPOCH }, [1, 2]],
    [{ epoch: 9 }, []],
    [{ epoch: 1e300 }, []],
    [{ fromSlot: 0, limit: 1 }, [1]],
    [{ fromSlot: 71, limit: 9 }, [2]],
    [{ fromSlot: 76, limit: 9 }, []],
    [{ fromSlot: 74, limit: 9, reverse: true }, [1]],
    [{ fromSlot: 80, limit: 9, reverse: true }, [2, 1]],
    [{ fromSlot: 80, limit: 1, reverse: true }, [2]],
    [{ fromSlot: 69, limit: 1, reverse: true }, []],
  ])("checkpoint query %j finds checkpoints %j", async (query, numbers) => {
    const found = (await ask("svc_getCheckpointsData", query)) as { checkpointNumber: number }[];
    expect(found.map(({ checkpointNumber }) => checkpointNumber)).toEqual(numbers);
  });

  const forms = (received: string) =>
    "Expected an object with the keys from and limit, or epoch, or fromSlot, limit and optionally reverse, " +
    `received ${received} (0)`;
  test.each<[unknown, string]>([
    [{ from: 1, limit: 201 }, "limit must be at most 200 (0.limit)"],
    [{ fromSlot: 1, limit: 201 }, "limit must be at most 200 (0.limit)"],
    [{ from: 1, limit: 0 }, "Number must be greater than or equal to 1 (0.limit)"],
    [{ from: 1, limit: 1.5 }, "Expected integer, received float (0.limit)"],
    [{ from: 1 }, forms("the keys [from]")],
    [{ from: 1, limit: 1, epoch: 1 }, forms("the keys [from, limit, epoch]")],
    [{ epoch: -1 }, "Number must be greater than or equal to 0 (0.epoch)"],
    [{ fromSlot: 1, limit: 1, reverse: 1 }, "Expected boolean, received number (0.reverse)"],
    [[], forms("array")],
  ])("checkpoint query %j is refused", async (query, message) => {
    expect(await ask("svc_getCheckpointsData", query)).toEqual([-32701, message]);
  });
});
