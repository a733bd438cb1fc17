import { createCipheriv, scryptSync } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PrivateKey } from "../../../src/keystore/private-key.ts";
import { MULTICALL3_ADDRESS } from "../../../src/l1/abi/multicall3.ts";
import { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import type { ConnectedRollup } from "../../../src/l1/types.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import type { PublishOutcome } from "../../../src/sequencer/publisher/types.ts";
import { type Moment, type RecordedBlock, ReplayedL1 } from "../../world/l1/replayed-l1.ts";
import { type RecordedProposal, recordedProposal } from "../../world/sequencer/recorded-proposals.ts";
import { startRemoteSigner } from "../../world/sequencer/remote-signer.ts";
import { type Opened, openRecordedPublisher, until, waiting } from "../support/publishing.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
/** Keys that are not among anvil's accounts. */
const KEYS = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte));
const [A, B, C] = KEYS.map((key) => new PrivateKey(key).address);
const ETHER = 10n ** 18n;
const CHECKPOINT = 2;

const kzg = new Kzg();
let l1: ReplayedL1;
let rollup: ConnectedRollup;
let block: RecordedBlock;
let recorded: RecordedProposal;
let moment: Moment;
let folder: string;
let opened: Opened | undefined;

beforeAll(async () => {
  kzg.load("library");
  l1 = await ReplayedL1.start();
  await l1.replayToCheckpoint(CHECKPOINT - 1);
  rollup = await connectRollup({
    l1RpcUrls: [l1.url],
    l1ChainId: 31337,
    registryAddress: l1.registryAddress,
    ethereumSlotDuration: 12,
  });
  while (!l1.next!.proposes) await l1.replayTo(l1.next!.number);
  await l1.prove((await l1.tips()).pending);
  block = l1.next!;
  recorded = recordedProposal(block, CHECKPOINT);
});
afterAll(async () => {
  await kzg.close();
  await l1?.stop();
});
beforeEach(async () => {
  moment = await l1.mark();
  // Reverting L1 does not reset the base fee.
  await l1.request("anvil_setNextBlockBaseFeePerGas", `0x${block.baseFee.toString(16)}`);
  folder = mkdtempSync(join(tmpdir(), "publisher-keys-"));
});
afterEach(async () => {
  await opened?.close();
  opened = undefined;
  rmSync(folder, { recursive: true, force: true });
  await l1.request("anvil_dropAllTransactions");
  await l1.returnTo(moment);
});

const fund = (address: string, wei: bigint) => l1.request("anvil_setBalance", address, `0x${wei.toString(16)}`);
const open = async (environment: Record<string, string>): Promise<Opened> => {
  const where = { url: l1.url, identity: rollup.identity, kzg, now: block.timestamp };
  opened = await openRecordedPublisher({ ...where, environment });
  return opened;
};
const withKeys = (...keys: Uint8Array[]) => ({ SEQ_PUBLISHER_PRIVATE_KEYS: keys.map(toHex).join(",") });
const publish = ({ publisher }: Opened, attester?: string) =>
  publisher.publishCheckpoint({ ...recorded.publication, attester, timeoutAt: (block.timestamp + 60) * 1000 });
const mine = () => l1.mine({ timestamp: block.timestamp, baseFee: block.baseFee });

interface L1Tx {
  from: string;
  to: string;
  input: string;
}

/** Publishes a checkpoint and returns its L1 transaction. */
async function published(node: Opened, attester?: string): Promise<L1Tx> {
  const outcome = publish(node, attester);
  let ended: PublishOutcome | undefined;
  void outcome.then((value) => {
    ended = value;
  });
  await until(async () => ended !== undefined || (await waiting(l1)).length > 0, "a transaction");
  await mine();
  const { kind, ...rest } = await outcome;
  if (kind !== "published") throw new Error(`${kind}: ${JSON.stringify(rest)}`);
  expect((await l1.tips()).pending).toBe(CHECKPOINT);
  return l1.request<L1Tx>("eth_getTransactionByHash", (rest as { txHash: string }).txHash);
}

describe("several publisher keys", () => {
  test("of several publisher keys the one with the highest balance sends", async () => {
    await Promise.all([fund(A, ETHER), fund(B, 3n * ETHER), fund(C, 2n * ETHER)]);
    expect((await published(await open(withKeys(...KEYS)))).from).toBe(B);
  });

  test("a publisher key that was just used ranks behind one that was not", async () => {
    await Promise.all([fund(A, 100n * ETHER), fund(B, 3n * ETHER)]);
    const node = await open(withKeys(KEYS[0], KEYS[1]));
    const first = await l1.mark();
    expect((await published(node)).from).toBe(A);
    await l1.returnTo(first);
    expect((await published(node)).from).toBe(B);
  });

  test("a publisher key that cannot pay is skipped, and the log says so", async () => {
    // B has not been used yet, so it is the first choice regardless of its balance.
    await Promise.all([fund(A, 100n * ETHER), fund(B, 1n)]);
    const node = await open(withKeys(KEYS[0], KEYS[1]));
    const first = await l1.mark();
    expect((await published(node)).from).toBe(A);
    await l1.returnTo(first);
    expect((await published(node)).from).toBe(A);
    const passed = node.lines.filter(({ message }) => message === "an L1 publisher cannot pay, taking the next one");
    expect(passed).toHaveLength(1);
    expect(passed[0]).toMatchObject({ level: "warn", facts: { address: B, next: A } });
    expect(passed[0].facts.reason).toMatch(/insufficient funds/i);
  });

  test("publishing fails with the reason if no publisher key can pay", async () => {
    const node = await open(withKeys(...KEYS));
    expect(await publish(node)).toEqual({ kind: "rejected", reason: expect.stringMatching(/insufficient funds/i) });
    expect(await waiting(l1)).toEqual([]);
  });

  test("a publisher key with a stuck transaction is skipped", async () => {
    await Promise.all([fund(A, 100n * ETHER), fund(B, 3n * ETHER)]);
    const node = await open({ ...withKeys(KEYS[0], KEYS[1]), L1_TX_MONITOR_CANCEL_TX_ON_TIMEOUT: "0" });
    const stuck = node.publisher.publishCheckpoint({
      ...recorded.publication,
      timeoutAt: (block.timestamp + 5) * 1000,
    });
    await until(async () => (await waiting(l1)).length > 0, "a transaction");
    // The base fee is too high for the transaction, and its time is over with the same block: an earlier one would let
    // the publisher raise the fee.
    await l1.mine({ timestamp: block.timestamp + 6, baseFee: 150e9 });
    expect((await stuck).kind).toBe("timed out");
    await until(() => node.lines.some(({ message }) => message === "an L1 tx was not mined in time"), "its end");
    await l1.request("anvil_dropAllTransactions");
    await l1.request("anvil_setNextBlockBaseFeePerGas", `0x${block.baseFee.toString(16)}`);
    const again = publish(node);
    await until(async () => (await waiting(l1)).length > 0, "a transaction of the other account");
    await l1.mine({ timestamp: block.timestamp + 7, baseFee: block.baseFee });
    expect((await again).kind).toBe("published");
    const sent = node.lines.filter(({ message }) => message === "sent an L1 tx").map(({ facts }) => facts.address);
    expect(sent).toEqual([A, B]);
    expect((await l1.tips()).pending).toBe(CHECKPOINT);
  });

  test("a publisher key with a stuck transaction is never used if busy publishers are not allowed", async () => {
    await fund(A, 100n * ETHER);
    const environment = { ...withKeys(KEYS[0]), SEQ_PUBLISHER_ALLOW_INVALID_STATES: "0" };
    const node = await open({ ...environment, L1_TX_MONITOR_CANCEL_TX_ON_TIMEOUT: "0" });
    const publication = { ...recorded.publication, timeoutAt: (block.timestamp + 5) * 1000 };
    const stuck = node.publisher.publishCheckpoint(publication);
    await until(async () => (await waiting(l1)).length > 0, "a transaction");
    await l1.mine({ timestamp: block.timestamp + 6, baseFee: 150e9 });
    expect((await stuck).kind).toBe("timed out");
    await until(() => node.lines.some(({ message }) => message === "an L1 tx was not mined in time"), "its end");
    expect(await publish(node)).toEqual({
      kind: "no publisher",
      reason: "Failed to find an available publisher.",
    });
  });
});

/** A V3 key file with cheap key derivation. */
function keyFile(key: Uint8Array, password: string): string {
  const [salt, iv] = [Buffer.alloc(32, 7), Buffer.alloc(16, 3)];
  const derived = scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 });
  const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(key), cipher.final()]);
  return JSON.stringify({
    version: 3,
    id: "00000000-0000-0000-0000-000000000000",
    crypto: {
      cipher: "aes-128-ctr",
      ciphertext: ciphertext.toString("hex"),
      cipherparams: { iv: iv.toString("hex") },
      kdf: "scrypt",
      kdfparams: { n: 1024, r: 8, p: 1, dklen: 32, salt: salt.toString("hex") },
      mac: Buffer.from(keccak_256(Buffer.concat([derived.subarray(16, 32), ciphertext]))).toString("hex"),
    },
  });
}

describe("publishers of a keystore", () => {
  const attester = C;
  const keystore = (publisher: unknown, more: object = {}) => {
    const path = join(folder, "keys.json");
    const feeRecipient = `0x${"0b".repeat(32)}`;
    const validators = [{ attester: toHex(KEYS[2]), feeRecipient, publisher }];
    writeFileSync(path, JSON.stringify({ schemaVersion: 1, validators, ...more }));
    return { KEY_STORE_DIRECTORY: path };
  };
  const sender = async (environment: Record<string, string>) =>
    (await published(await open(environment), attester)).from;

  test("publishers given as private keys publish", async () => {
    await fund(B, ETHER);
    expect(await sender(keystore([toHex(KEYS[0]), toHex(KEYS[1])]))).toBe(B);
  });

  test("publishers given as a mnemonic publish", async () => {
    const [, , third] = await l1.request<string[]>("eth_accounts");
    const publisher = { mnemonic: MNEMONIC, addressIndex: 2, addressCount: 2 };
    await fund(third, 20_000n * ETHER);
    expect(await sender(keystore(publisher))).toBe(third.toLowerCase());
  });

  test("publishers given as a folder of encrypted files publish", async () => {
    mkdirSync(join(folder, "encrypted"));
    KEYS.slice(0, 2).forEach((key, i) => {
      writeFileSync(join(folder, "encrypted", `${i}.json`), keyFile(key, "secret"));
    });
    await fund(B, ETHER);
    expect(await sender(keystore({ path: join(folder, "encrypted"), password: "secret" }))).toBe(B);
  });

  test("a publisher given as an address on a remote signer publishes", async () => {
    const remote = await startRemoteSigner(KEYS[0]);
    try {
      await fund(A, ETHER);
      expect(await sender(keystore({ address: A, remoteSignerUrl: remote.url }))).toBe(A);
      expect(remote.asked).toEqual(["eth_accounts", "eth_sign", "eth_signTransaction"]);
    } finally {
      await remote.stop();
    }
  });

  test("the attester itself publishes if no publisher is named", async () => {
    await fund(C, ETHER);
    expect(await sender(keystore(undefined))).toBe(C);
  });
});

test("a publisher sends everything through a configured forwarder", async () => {
  const forwarder = `0x${"f0".repeat(20)}`;
  await l1.request("anvil_setCode", forwarder, await l1.request("eth_getCode", MULTICALL3_ADDRESS, "latest"));
  const tx = await published(await open({ SEQ_PUBLISHER_FORWARDER_ADDRESS: forwarder }));
  expect(tx).toMatchObject({ to: forwarder, input: recorded.input });
});

describe("a blob upload store", () => {
  test("a blob upload store has the published blobs where nodes look for them", async () => {
    const store = join(folder, "blobs");
    const node = await open({ BLOB_FILE_STORE_UPLOAD_URL: pathToFileURL(store).href });
    await published(node);
    await node.close();
    opened = undefined;
    const { rollupVersion, addresses } = rollup.identity;
    const blobs = join(store, `aztec-31337-${rollupVersion}-${addresses.rollupAddress}`, "blobs");
    expect(readdirSync(blobs)).toHaveLength(recorded.publication.checkpoint.blobs.length);
  });

  test("an upload store that cannot be written to does not prevent publishing, and the log says why", async () => {
    const parent = join(folder, "replaced");
    const node = await open({ BLOB_FILE_STORE_UPLOAD_URL: pathToFileURL(join(parent, "blobs")).href });
    rmSync(parent, { recursive: true, force: true });
    writeFileSync(parent, "");
    await published(node);
    const [line] = node.lines.filter(({ message }) => message === "blobs cannot be uploaded");
    expect(line.level).toBe("warn");
    expect(String(line.facts.err)).toMatch(/ENOTDIR|EEXIST|not a folder/);
    expect(existsSync(join(parent, "blobs"))).toBe(false);
  });

  test("an upload store of a kind that cannot be written to is refused at the start", async () => {
    const environment = { BLOB_FILE_STORE_UPLOAD_URL: "http://127.0.0.1:1/blobs" };
    await expect(open(environment)).rejects.toThrow(/BLOB_FILE_STORE_UPLOAD_URL/);
  });
});
