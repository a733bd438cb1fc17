import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { calldataHash } from "../../../src/core/derive/call-hashes.ts";
import { digestTx } from "../../../src/mempool/digest/digest-tx.ts";
import type { Digests } from "../../../src/mempool/digest/tx-digest.ts";
import { txFacts } from "../../../src/mempool/digest/tx-facts.ts";
import { TxPool } from "../../../src/mempool/pool/tx-pool.ts";
import { ACCEPT_ANY_PROOF } from "../../../src/mempool/proofs/proof-verifier.ts";
import { CommittedStates } from "../../../src/mempool/validation/committed-state.ts";
import { TxValidator } from "../../../src/mempool/validation/tx-validator.ts";
import { bigUintBytes, concat, equal, fromHex, toHex, writeU32 } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import {
  isForPublic,
  privateAccumulatedData,
  publicAccumulatedData,
} from "../../../src/protocol/tx/accumulated-data.ts";
import { txFeePayer, txGasSettings } from "../../../src/protocol/tx/gas-settings.ts";
import { TX_DATA_AT } from "../../../src/protocol/tx/kernel-output.ts";
import { withCalldata, withFreshEffects, withTerms } from "../../../src/protocol/tx/template.ts";
import { emptyProof, type Tx } from "../../../src/protocol/tx/tx.ts";
import { txFromBytes, txToBytes } from "../../../src/protocol/tx/tx-bytes.ts";
import { items } from "../../../src/protocol/tx-effect.ts";
import { JsonWriter } from "../../../src/rpc/codecs/json/json-writer.ts";
import { encodeTx } from "../../../src/rpc/codecs/shared/tx.ts";
import { V5_CHAIN } from "../../world/l1/recorded-networks.ts";
import { MemoryStore } from "../../world/mempool/memory-store.ts";
import { type Before, before, blockOf, readTx, type SentTx, sampleTxs } from "../../world/mempool/v5-sent-txs.ts";
import { core, type SyncedChain, syncRecordedChain } from "../../world/snapshots/synced-chain.ts";

const { proofFields } = V5.transactions;
const sent = sampleTxs();

function jsonOf(tx: Tx, hash: Uint8Array, withProof = true): string {
  const out = new JsonWriter();
  encodeTx(out, { hash, tx, withProof });
  return Buffer.from(out.take()).toString("utf8");
}

describe("transactions as v5 wallets sent them", () => {
  test.each(sent.map((one) => [one.json.txHash, one] as const))(
    "%s is read and written again",
    (hash, { json, tx }) => {
      const digest = digestTx(core, tx, V5.contracts);
      expect(toHex(digest.hash)).toBe(hash);
      expect([digest.dataFault, digest.instanceFault, digest.contractsReadable]).toEqual([undefined, undefined, true]);
      expect(jsonOf(tx, digest.hash) === JSON.stringify(json)).toBe(true);
      const bytes = txToBytes(digest.hash, tx);
      const read = txFromBytes(bytes, 0, proofFields);
      expect(read.next).toBe(bytes.length);
      expect(Buffer.from(txToBytes(read.hash, read.tx)).equals(bytes)).toBe(true);
      expect(JSON.parse(jsonOf(tx, digest.hash, false)).chonkProof).toBe(
        Buffer.from(emptyProof(proofFields)).toString("base64"),
      );
    },
  );

  test("one with a proof of v4 is refused", () => {
    const { json } = sent[0];
    const chonkProof = Buffer.from(emptyProof(V4.transactions.proofFields)).toString("base64");
    expect(() => readTx({ ...json, chonkProof })).toThrow("Invalid ChonkProof length: 1935");
  });

  test("one with longer lists than any transaction has is refused by its form", () => {
    const { json } = sent[0];
    const calldata = { values: ["0x0"], hash: "0x0" };
    const fields = new Array(3023).fill("0x0");
    expect(() => readTx({ ...json, publicFunctionCalldata: new Array(34).fill(calldata) })).toThrow(/^publicFunction/);
    expect(() => readTx({ ...json, contractClassLogFields: [{ fields }, { fields }] })).toThrow(/^contractClassLog/);
    const long = { ...calldata, values: new Array(16_001).fill("0x0") };
    expect(() => readTx({ ...json, publicFunctionCalldata: [long] })).toThrow(/^publicFunctionCalldata\.0\.values/);
  });
});

const digests: Digests = {
  whole: async (tx) => digestTx(core, tx, V5.contracts),
  hash: async (tx) => digestTx(core, tx, V5.contracts).hash,
  content: async (tx) => digestTx(core, tx, V5.contracts),
};
const CHECKED = { isSimulation: false, skipFeeEnforcement: false };

async function reasons(tx: Tx, { contexts }: Pick<Before, "contexts">, options = CHECKED): Promise<string[]> {
  const validator = new TxValidator({ digests, contexts, proofs: ACCEPT_ANY_PROOF });
  const { verdict } = await validator.fromClient(tx, options);
  if (verdict.result === "skipped") throw new Error("a verdict of v5 must not be skipped");
  return verdict.result === "valid" ? [] : verdict.reason;
}

describe("transactions of a recorded v5 chain, in the state that they were sent in", () => {
  let chain: SyncedChain;
  beforeAll(async () => {
    chain = await syncRecordedChain(V5_CHAIN, { checkpointHistory: 0 });
  });
  afterAll(() => chain?.close());

  const inBlock = (one: SentTx, allowList?: []) => before(chain, blockOf(chain, one), allowList);
  const txWith = (what: (tx: Tx) => boolean): SentTx => {
    const found = sent.find(({ tx }) => what(tx));
    if (found === undefined) throw new Error("the sample has no such transaction");
    return found;
  };
  const partsOf = ({ data }: Tx) =>
    isForPublic(data)
      ? [publicAccumulatedData(data).nonRevertible, publicAccumulatedData(data).revertible]
      : [privateAccumulatedData(data)];
  const publicTx = () => txWith(({ data }) => isForPublic(data) && publicAccumulatedData(data).setupCalls.length === 0);
  const claiming = () =>
    txWith(
      ({ data }) =>
        isForPublic(data) &&
        publicAccumulatedData(data).setupCalls.some((call) => equal(call.contractAddress, V5.contracts.feeJuice)),
    );
  const changed = (tx: Tx, change: (copy: Tx) => void): Tx => {
    const copy = structuredClone(tx);
    change(copy);
    return copy;
  };

  test("all are valid", async () => {
    for (const one of sent) expect(await reasons(one.tx, inBlock(one)), one.json.txHash).toEqual([]);
  });

  test("those whose setup calls a token are refused by a node that allows the built-in calls alone", async () => {
    const refused: string[] = [];
    for (const one of sent) refused.push(...(await reasons(one.tx, inBlock(one, []))));
    expect(refused).toEqual(new Array(3).fill("Setup function not on allow list"));
  });

  test("each is accepted by the pool, which gives it back as it was sent", async () => {
    for (const { json, tx } of sent) {
      const now = inBlock({ json, tx });
      const options = { rules: V5, maxPending: 10, archived: 1, deleteAfterReorg: false };
      const pool = new TxPool(new MemoryStore(), now.view, options);
      const facts = txFacts(tx, digestTx(core, tx, V5.contracts), V5.contracts);
      expect(pool.add([facts], { by: "fee", bumpPercentage: 10n })).toEqual([{ outcome: "accepted" }]);
      expect(jsonOf(pool.get(facts.hash)!, facts.hash) === JSON.stringify(json)).toBe(true);
      const { block } = now;
      const nullifierKeys = new Set<string>();
      pool.blockAdded({ number: block, hash: fr(1), timestamp: 0n, txHashes: [facts.hash], nullifierKeys });
      pool.finalized(block);
      const archived = pool.archived(facts.hash);
      expect(archived !== undefined && jsonOf(archived, facts.hash) === jsonOf(tx, facts.hash, false)).toBe(true);
    }
  });

  test("what a transaction says of its network must be this one's, and the reason says both", async () => {
    const one = publicTx();
    const now = inBlock(one);
    const { l1ChainId, rollupVersion } = chain.reader.identity;
    expect(await reasons(withTerms(one.tx, { chainId: fr(1) }), now)).toEqual([
      `Incorrect L1 chain id (tx: 1, expected: ${l1ChainId})`,
    ]);
    expect(await reasons(withTerms(one.tx, { version: fr(7) }), now)).toEqual([
      `Incorrect rollup version (tx: 7, expected: ${rollupVersion})`,
    ]);
    const ofV4 = changed(one.tx, ({ data }) => {
      data.set(fromHex(V4.contracts.vkTreeRoot), TX_DATA_AT.vkTreeRoot);
      data.set(fromHex(V4.contracts.protocolContractsHash), TX_DATA_AT.protocolContractsHash);
    });
    expect(await reasons(ofV4, now)).toEqual([
      `Incorrect verification keys tree root (tx: ${V4.contracts.vkTreeRoot}, expected: ${V5.contracts.vkTreeRoot})`,
      `Incorrect protocol contracts hash (tx: ${V4.contracts.protocolContractsHash}, expected: ${V5.contracts.protocolContractsHash})`,
    ]);
  });

  test("expiration, anchor block and nullifiers are checked", async () => {
    const one = publicTx();
    const now = inBlock(one);
    const { timestamp } = now.contexts.next(now.fees).target;
    expect(await reasons(withTerms(one.tx, { expirationTimestamp: timestamp }), now)).toEqual([]);
    expect(await reasons(withTerms(one.tx, { expirationTimestamp: timestamp - 1n }), now)).toEqual([
      "Invalid expiration timestamp",
    ]);
    const unanchored = changed(one.tx, ({ data }) => (data[TX_DATA_AT.anchorHeader + 439] ^= 1));
    expect(await reasons(unanchored, now)).toEqual(["Block header not found"]);
    const known = chain.services.chain.txEffects(now.block - 1).flatMap(({ nullifiers }) => items(nullifiers))[0];
    const spent = changed(one.tx, ({ data }) => publicAccumulatedData(data).nonRevertible.nullifiers[0].set(known));
    expect(await reasons(spent, now)).toEqual(["Existing nullifier"]);
    const twice = txWith((tx) => partsOf(tx).some(({ nullifiers }) => nullifiers.length > 1));
    const doubled = changed(twice.tx, (copy) => {
      const { nullifiers } = partsOf(copy).find((part) => part.nullifiers.length > 1)!;
      nullifiers[1].set(nullifiers[0]);
    });
    expect(await reasons(doubled, inBlock(twice))).toEqual(["Duplicate nullifier in tx"]);
    // After its own block it can come no second time.
    expect(await reasons(one.tx, before(chain, now.block + 1))).toEqual(["Existing nullifier"]);
  });

  test("gas limits are those of v5, also without fees, and those of the protocol in a simulation", async () => {
    const one = publicTx();
    const now = inBlock(one);
    const most = { daGas: 55_882, l2Gas: 6_540_000 };
    const free = { gasFees: { feePerDaGas: 0n, feePerL2Gas: 0n } };
    const limited = (gasLimits: { daGas: number; l2Gas: number }) =>
      withTerms(one.tx, { gasLimits, maxFeesPerGas: { feePerDaGas: 0n, feePerL2Gas: 0n }, ...free });
    const UNPRICED = { isSimulation: false, skipFeeEnforcement: true };
    const TEXT = "Gas limit is higher than the maximum amount of gas this network allows per tx";
    expect(await reasons(limited(most), now, UNPRICED)).toEqual([]);
    expect(await reasons(limited({ ...most, daGas: 55_883 }), now, UNPRICED)).toEqual([
      `${TEXT} (daGas=55883, max=55882)`,
    ]);
    expect(await reasons(limited({ ...most, l2Gas: 6_540_001 }), now)).toEqual([
      `${TEXT} (l2Gas=6540001, max=6540000)`,
    ]);
    expect(await reasons(limited({ daGas: 95, l2Gas: 540_000 }), now)).toEqual([
      "Gas limit is below the minimum fixed cost (required=da:96,l2:540000 got=da:95,l2:540000)",
    ]);
    const estimate = limited({ daGas: 271_201, l2Gas: 6_540_000 });
    expect(await reasons(estimate, now, { isSimulation: true, skipFeeEnforcement: true })).toEqual([]);
    expect(await reasons(estimate, now, { isSimulation: true, skipFeeEnforcement: false })).toEqual([
      `${TEXT} (daGas=271201, max=271200)`,
    ]);
  });

  test("fees are checked against the block's and the payer's balance in contract 3", async () => {
    const one = publicTx();
    const now = inBlock(one);
    const { feePerL2Gas } = now.fees;
    const cheap = withTerms(one.tx, { maxFeesPerGas: { feePerDaGas: 0n, feePerL2Gas: feePerL2Gas - 1n } });
    expect(await reasons(cheap, now)).toEqual([
      `Insufficient fee per gas (maxFee=da:0,l2:${feePerL2Gas - 1n} required=da:0,l2:${feePerL2Gas})`,
    ]);
    const payer = txFeePayer(one.tx.data);
    const inV4 = new CommittedStates(core, chain.services.world, V4.contracts);
    expect(inV4.after(now.block - 1)?.feeJuice(payer)).toBe(0n);
    const balance = now.states.latest().feeJuice(payer);
    expect(balance).toBeGreaterThan(0n);
    const { gasLimits } = txGasSettings(one.tx.data);
    const least = balance / BigInt(gasLimits.l2Gas) + 1n;
    const dear = withTerms(one.tx, { maxFeesPerGas: { feePerDaGas: 0n, feePerL2Gas: least } });
    const required = least * BigInt(gasLimits.l2Gas);
    expect(await reasons(dear, now)).toEqual([
      `Insufficient fee payer balance (required=${required}, available=${balance})`,
    ]);
  });

  test("a claim from L1 in setup pays for its own transaction, as long as it is one", async () => {
    const one = claiming();
    const now = inBlock(one);
    const payer = txFeePayer(one.tx.data);
    expect(now.states.latest().feeJuice(payer)).toBe(0n);
    const toOther = withCalldata(
      one.tx,
      (calldata, call) => (call === 0 ? concat(calldata.subarray(0, 32), fr(1), calldata.subarray(64)) : calldata),
      (calldata) => calldataHash(core, calldata),
    );
    const [reason, ...others] = await reasons(toOther, now);
    expect([reason.replace(/required=\d+/, ""), others]).toEqual([
      "Insufficient fee payer balance (, available=0)",
      [],
    ]);
  });

  test("setup calls keep to the allow list", async () => {
    const one = claiming();
    const now = inBlock(one);
    const call = (copy: Tx) => publicAccumulatedData(copy.data).setupCalls[0];
    const fromOther = changed(one.tx, (copy) => call(copy).msgSender.set(fr(9)));
    expect((await reasons(fromOther, now))[0]).toBe("Setup only_self function called with incorrect msg_sender");
    const toOther = changed(one.tx, (copy) => call(copy).contractAddress.set(fr(5)));
    expect((await reasons(toOther, now))[0]).toBe("Setup function not on allow list");
    const longer = withCalldata(
      one.tx,
      (calldata, index) => (index === 0 ? concat(calldata, fr(0)) : calldata),
      (calldata) => calldataHash(core, calldata),
    );
    expect(await reasons(longer, now)).toEqual(["Setup function called with wrong calldata length"]);
  });

  test("size, calldata and class logs are checked", async () => {
    const one = publicTx();
    const now = inBlock(one);
    const more = (fields: number) => ({
      ...one.tx,
      publicFunctionCalldata: [...one.tx.publicFunctionCalldata, { values: new Uint8Array(fields * 32), hash: fr(1) }],
    });
    expect(await reasons(more(1), now)).toEqual(["Wrong number of calldata for public calls"]);
    expect(await reasons(more(16_000), now)).toEqual([
      "Transaction size above size limit",
      "Wrong number of calldata for public calls",
    ]);
    const other = changed(one.tx, (copy) => (copy.publicFunctionCalldata[0].values[63] ^= 1));
    expect(await reasons(other, now)).toEqual(["Incorrect calldata for public call"]);

    const publishing = txWith(({ contractClassLogFields }) => contractClassLogFields.length === 1);
    const then = inBlock(publishing);
    const log = (copy: Tx) => {
      const at = partsOf(copy).findIndex(({ contractClassLogs }) => contractClassLogs.length === 1);
      return { fields: copy.contractClassLogFields[0], hash: partsOf(copy)[at].contractClassLogs[0].hash };
    };
    const wrong = changed(publishing.tx, (copy) => (log(copy).fields[63] ^= 1));
    expect(await reasons(wrong, then)).toEqual(["Mismatched contract class logs"]);
    const otherId = changed(publishing.tx, (copy) => {
      const { fields, hash } = log(copy);
      fields[63] ^= 1;
      hash.set(core.hash(fields));
    });
    expect(await reasons(otherId, then)).toEqual(["Incorrect contract class id"]);
    const without = changed(publishing.tx, (copy) => copy.contractClassLogFields.pop());
    expect((await reasons(without, then)).at(-1)).toBe("Mismatched number of contract class logs");
    const short = changed(publishing.tx, (copy) => {
      const { hash } = log(copy);
      writeU32(new Uint8Array(hash.buffer), hash.byteOffset + 32, 6);
    });
    expect((await reasons(short, then)).at(-1)).toBe("Incorrect contract class logs length");
  });

  test("a published instance must have version 2 and the address of its parts", async () => {
    const isEvent = (log: Uint8Array) => toHex(log.subarray(0, 32)).startsWith("0x1a7e1badb79abdd3");
    const one = txWith((tx) => partsOf(tx).some(({ privateLogs }) => privateLogs.some(isEvent)));
    const now = inBlock(one);
    const log = (copy: Tx) => partsOf(copy).flatMap(({ privateLogs }) => privateLogs.filter(isEvent))[0];
    const salted = changed(one.tx, (copy) => (log(copy)[4 * 32 - 1] ^= 1));
    expect(await reasons(salted, now)).toEqual(["Incorrect contract instance deployment address"]);
    const withImmutables = changed(one.tx, (copy) => log(copy).set(fr(1), 6 * 32));
    expect(await reasons(withImmutables, now)).toEqual(["Incorrect contract instance deployment address"]);
    const ofV4 = changed(one.tx, (copy) => log(copy).set(fr(1), 2 * 32));
    expect(await reasons(ofV4, now)).toEqual([
      "Unexpected error during validation",
      "Failed to parse contract instance deployment log",
    ]);
  });

  test("the pool takes a dearer transaction in place of another, and drops those that offer too little", () => {
    const one = publicTx();
    const now = inBlock(one);
    const { gasLimits, maxFeesPerGas } = txGasSettings(one.tx.data);
    expect(gasLimits.l2Gas).toBeGreaterThan(0);
    const facts = (tx: Tx) => txFacts(tx, digestTx(core, tx, V5.contracts), V5.contracts);
    const offering = (priority: bigint) =>
      facts(withTerms(one.tx, { maxPriorityFeesPerGas: { feePerDaGas: 0n, feePerL2Gas: priority } }));
    const pool = new TxPool(new MemoryStore(), now.view, {
      rules: V5,
      maxPending: 10,
      archived: 0,
      deleteAfterReorg: false,
    });
    const bidding = { by: "fee", bumpPercentage: 10n } as const;
    const [first, second] = [offering(100n), offering(110n)];
    expect(pool.add([first], bidding)).toEqual([{ outcome: "accepted" }]);
    expect(pool.add([offering(109n)], bidding)[0]).toMatchObject({ outcome: "ignored" });
    expect(pool.add([second], bidding)).toEqual([{ outcome: "accepted" }]);
    expect(pool.dropReason(first.hash)).toBe("outbid");
    let next = 1n;
    const fresh = withFreshEffects(one.tx, () => bigUintBytes(++next, 32));
    const cheap = facts(
      withTerms(fresh, { maxFeesPerGas: { ...maxFeesPerGas, feePerL2Gas: now.fees.feePerL2Gas - 1n } }),
    );
    expect(pool.add([cheap], bidding)).toEqual([{ outcome: "rejected" }]);
    pool.minFeesAre(maxFeesPerGas);
    expect(pool.status(second.hash)).toBe("pending");
    pool.minFeesAre({ ...maxFeesPerGas, feePerL2Gas: maxFeesPerGas.feePerL2Gas + 1n });
    expect([pool.status(second.hash), pool.dropReason(second.hash)]).toEqual(["deleted", "fee too low"]);
  });

  test("a transaction of a proposal becomes pending only with allowed setup calls", () => {
    const one = txWith(
      ({ data }) =>
        isForPublic(data) &&
        publicAccumulatedData(data).setupCalls.some(({ contractAddress }) => contractAddress[1] === 0xaf),
    );
    const facts = txFacts(one.tx, digestTx(core, one.tx, V5.contracts), V5.contracts);
    for (const [allowList, status] of [
      [undefined, "pending"],
      [[], "deleted"],
    ] as const) {
      const now = inBlock(one, allowList as [] | undefined);
      const options = { rules: V5, maxPending: 10, archived: 0, deleteAfterReorg: false };
      const pool = new TxPool(new MemoryStore(), now.view, options);
      pool.addProtected([facts], 1);
      expect(pool.status(facts.hash)).toBe("protected");
      pool.slotStarted(2);
      expect(pool.status(facts.hash)).toBe(status);
    }
  });
});
