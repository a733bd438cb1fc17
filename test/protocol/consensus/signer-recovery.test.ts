import { createHash } from "node:crypto";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { describe, expect, test } from "vitest";
import { bigUintBytes, concat, toHex } from "../../../src/protocol/bytes.ts";
import { nativeRecovery } from "../../../src/protocol/consensus/native-recovery.ts";
import { wasmRecovery } from "../../../src/protocol/consensus/wasm-recovery.ts";
import { recoverSigner } from "../../world/protocol/recover-signer.ts";

const ORDER = secp256k1.Point.Fn.ORDER;
const random = (text: string) => new Uint8Array(createHash("sha256").update(text).digest());
const hex = (bytes: Uint8Array | undefined) => bytes && toHex(bytes);

function signed(name: string): { hash: Uint8Array; signature: Uint8Array } {
  const hash = random(`hash ${name}`);
  const made = secp256k1.sign(hash, random(`key ${name}`), { prehash: false, format: "recovered" });
  return { hash, signature: concat(made.subarray(1), Uint8Array.of(made[0] + 27)) };
}

function signature(r: bigint, s: bigint, v: number): Uint8Array {
  return concat(bigUintBytes(r, 32), bigUintBytes(s, 32), Uint8Array.of(v));
}

describe.each([
  ["native code", await nativeRecovery()],
  ["WebAssembly", await wasmRecovery()],
])("recovery in %s equals recovery in JavaScript", (_, recover) => {
  test("for valid signatures", () => {
    for (let i = 0; i < 100; i++) {
      const { hash, signature } = signed(String(i));
      const signer = recover(hash, signature);
      expect(signer).toHaveLength(20);
      expect(hex(signer)).toBe(hex(recoverSigner(hash, signature)));
    }
  });

  test("for arbitrary r and s, of which about half have no point", () => {
    let none = 0;
    for (let i = 0; i < 100; i++) {
      const s = BigInt(toHex(random(`s ${i}`))) % (ORDER / 2n);
      const made = signature(BigInt(toHex(random(`r ${i}`))), s, 27 + (i & 1));
      const signer = recover(random("hash"), made);
      if (signer === undefined) none++;
      expect(hex(signer)).toBe(hex(recoverSigner(random("hash"), made)));
    }
    expect(none).toBeGreaterThan(20);
    expect(none).toBeLessThan(80);
  });

  const { hash, signature: valid } = signed("edge");
  const [r, s] = [valid.subarray(0, 32), valid.subarray(32, 64)].map((part) => BigInt(toHex(part)));
  const v = valid[64];
  test.each([
    ["s of the largest low value", signature(r, ORDER / 2n, v)],
    ["s one above", signature(r, ORDER / 2n + 1n, v)],
    ["s in the upper half", signature(r, ORDER - s, 55 - v)],
    ["s of 1", signature(r, 1n, v)],
    ["s of 0", signature(r, 0n, v)],
    ["s of the order", signature(r, ORDER, v)],
    ["r of 0", signature(0n, s, v)],
    ["r of the order", signature(ORDER, s, v)],
    ["r above the order", signature(ORDER + 2n, s, v)],
    ["r of all ones", signature(2n ** 256n - 1n, s, v)],
    ["v of 0", signature(r, s, 0)],
    ["v of 1", signature(r, s, 1)],
    ["v of 26", signature(r, s, 26)],
    ["v of 29", signature(r, s, 29)],
    ["the other v", signature(r, s, 55 - v)],
    ["64 bytes", valid.subarray(0, 64)],
    ["66 bytes", concat(valid, Uint8Array.of(0))],
  ])("for a signature with %s", (_, made) => {
    expect(hex(recover(hash, made))).toBe(hex(recoverSigner(hash, made)));
  });

  test("for a hash of zero, and for one whose signer is the point at infinity", () => {
    const zero = new Uint8Array(32);
    expect(hex(recover(zero, valid))).toBe(hex(recoverSigner(zero, valid)));
    // R = G, s = z: Q = (s R - z G) / r is infinity.
    const x = secp256k1.Point.BASE.toAffine().x;
    const z = 5n;
    for (const parity of [27, 28]) {
      const made = signature(x, z, parity);
      expect(hex(recover(bigUintBytes(z, 32), made))).toBe(hex(recoverSigner(bigUintBytes(z, 32), made)));
    }
    expect([27, 28].map((parity) => recover(bigUintBytes(z, 32), signature(x, z, parity)))).toContain(undefined);
  });
});
