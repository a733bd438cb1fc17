import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { parseTransaction, recoverTransactionAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EndpointBook } from "../../src/endpoints/endpoint-book.ts";
import { Kzg } from "../../src/l1/blobs/kzg.ts";
import { blobSidecars } from "../../src/l1/propose/sidecars.ts";
import { L1SignerError } from "../../src/l1/tx/errors.ts";
import { LocalSigner } from "../../src/l1/tx/local-signer.ts";
import { RemoteSigner } from "../../src/l1/tx/remote-signer.ts";
import { type BlobSidecars, type UnsignedTx, withSignature } from "../../src/l1/tx/transaction.ts";
import { CELLS_PER_BLOB, zeroBlobSidecars } from "../../src/l1/tx/zero-blob.ts";
import { fromHex, toHex } from "../../src/protocol/bytes.ts";
import { httpFake } from "../world/l1/http-fake.ts";
import { recordingLogger } from "../world/rpc/fakes.ts";
import { PUBLISHER_KEY } from "../world/sequencer/recorded-proposals.ts";

const local = new LocalSigner(PUBLISHER_KEY);
const kzg = new Kzg();
let server: Server;
let url: string;
/** The remote signer's answer to the next request, and the requests so far. */
let answer: (params: unknown[]) => unknown = () => null;
const asked: { method: string; params: unknown[] }[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(parts).toString("utf8"));
    asked.push({ method, params });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(answer(params) as object) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret`;
});
afterAll(async () => {
  await kzg.close();
  await new Promise((resolve) => server.close(resolve));
});

const unsigned = (sidecars?: BlobSidecars): UnsignedTx => ({
  chainId: 31337,
  nonce: 0,
  gas: 21_000n,
  to: "0xca11bde05977b3631167028862be2a173976ca11",
  value: 0n,
  data: Uint8Array.of(1, 2, 3),
  fees: { maxFeePerGas: 10n, maxPriorityFeePerGas: 0n, ...(sidecars ? { maxFeePerBlobGas: 2n } : {}) },
  sidecars,
});

test.each([
  ["plain", undefined],
  ["with a blob", zeroBlobSidecars(false)],
])("a signed transaction %s has the given fields and recovers its account", async (_, sidecars) => {
  const tx = unsigned(sidecars);
  const { raw } = withSignature(tx, await local.signTransaction(tx));
  const serializedTransaction = toHex(raw) as `0x02${string}`;
  expect((await recoverTransactionAddress({ serializedTransaction })).toLowerCase()).toBe(local.address);
  const parsed = parseTransaction(serializedTransaction);
  expect(parsed).toMatchObject({ chainId: 31337, gas: 21_000n, maxFeePerGas: 10n, data: "0x010203" });
});

test("a remote signer gives the signature that the key itself would give", async () => {
  const remote = new RemoteSigner(url, local.address);
  const tx = unsigned(zeroBlobSidecars(false));
  const signature = await local.signTransaction(tx);
  answer = () => ({ result: toHex(withSignature(tx, signature).raw) });
  expect(await remote.signTransaction(tx)).toEqual(signature);
  // A slow answer has the signer probed meanwhile.
  const lastOf = (name: string) => asked.findLast(({ method }) => method === name);
  expect(lastOf("eth_signTransaction")).toMatchObject({
    params: [{ from: local.address, nonce: "0x0", gas: "0x5208", type: "0x3", maxFeePerBlobGas: "0x2" }],
  });
  const message = fromHex("0x1234");
  const own = await local.signMessage(message);
  const lowV = Uint8Array.from(own);
  lowV[64] -= 27;
  answer = () => ({ result: toHex(lowV) });
  expect(await remote.signMessage(message)).toEqual(own);
  expect(lastOf("eth_sign")).toEqual({ method: "eth_sign", params: [local.address, "0x1234"] });
});

test("a signature by another key, or something else than a signature, is refused without naming the signer's path", async () => {
  const remote = new RemoteSigner(url, local.address);
  const other = new LocalSigner(new Uint8Array(32).fill(7));
  const foreign = toHex(await other.signMessage(Uint8Array.of(1)));
  for (const wrong of [{ result: foreign }, { result: "0x12" }, { error: { message: "locked" } }, {}]) {
    answer = () => wrong;
    const error = await remote.signMessage(Uint8Array.of(1)).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(L1SignerError);
    expect((error as Error).message).not.toContain("secret");
  }
});

test("a remote signer that never answers is given up, for all its accounts, until it answers again", async () => {
  const log = recordingLogger();
  let hangs = true;
  const silent = await httpFake(({ body }) => {
    const { id, method } = JSON.parse(body);
    return hangs ? "silence" : { json: { jsonrpc: "2.0", id, result: method === "eth_accounts" ? [] : signature } };
  });
  const message = fromHex("0x1234");
  const signature = toHex(await local.signMessage(message));
  const endpoints = new EndpointBook({ logger: log });
  try {
    const [remote, other] = [local.address, `0x${"11".repeat(20)}`].map(
      (a) => new RemoteSigner(silent.url, a, endpoints),
    );
    await expect(remote.signMessage(message)).rejects.toThrow("eth_sign: no answer, nor one to a probe");
    const before = silent.seen.filter(({ body }) => body.includes("eth_sign")).length;
    await expect(other.signMessage(message)).rejects.toThrow(L1SignerError);
    expect(silent.seen.filter(({ body }) => body.includes("eth_sign"))).toHaveLength(before);
    hangs = false;
    await expect.poll(() => remote.signMessage(message).then(toHex, String), { timeout: 60_000 }).toBe(signature);
    expect(log.entries.map(({ message: text }) => text)).toEqual([
      "the {service} endpoint {endpoint} fails",
      "the {service} endpoint {endpoint} answers again",
    ]);
  } finally {
    endpoints.close();
    await silent.close();
  }
});

test("the proofs of a blob of zeros are those of the KZG library, in both forms", { timeout: 180_000 }, async () => {
  for (const cellProofs of [false, true]) {
    const own = zeroBlobSidecars(cellProofs);
    const proven = await blobSidecars(kzg, own.blobs, cellProofs);
    expect(own.commitments.map(toHex)).toEqual(proven.commitments.map(toHex));
    expect(own.proofs.map(toHex)).toEqual(proven.proofs.map(toHex));
    expect(own.proofs).toHaveLength(cellProofs ? CELLS_PER_BLOB : 1);
  }
});
