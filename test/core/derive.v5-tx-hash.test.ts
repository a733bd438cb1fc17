import { expect, test } from "vitest";
import { txHash } from "../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { concat, equal, toHex, u32Bytes } from "../../src/protocol/bytes.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../src/protocol/generations/v5/v5.ts";
import { ProofLengthError } from "../../src/protocol/tx/errors.ts";
import { txFromBytes, txToBytes } from "../../src/protocol/tx/tx-bytes.ts";
import { readVectors } from "../protocol/generations/v5/vectors.ts";

const core = loadCore();
const sent = readVectors<{ hash: string; data: string }[]>("txs");

test.each(sent)("the v5 transaction $hash has the layout and the hash of v4, and a shorter proof", ({ hash, data }) => {
  const { proofFields } = V5.transactions;
  const proof = concat(u32Bytes(proofFields), new Uint8Array(proofFields * 32));
  const tx = {
    data: new Uint8Array(Buffer.from(data, "base64")),
    chonkProof: proof,
    contractClassLogFields: [],
    publicFunctionCalldata: [],
  };
  const own = txHash(core, tx.data);
  expect(toHex(own)).toBe(hash);
  const bytes = txToBytes(own, tx);
  const { tx: decoded, next } = txFromBytes(bytes, 0, proofFields);
  expect([equal(decoded.data, tx.data), equal(decoded.chonkProof, proof), next]).toEqual([true, true, bytes.length]);
  expect(() => txFromBytes(bytes, 0, V4.transactions.proofFields)).toThrow(ProofLengthError);
});
