import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { BlsKey, blsKeyOfMaterial, blsKeyOfMnemonic } from "../../src/keystore/bls-key.ts";
import { decryptBlsKeyFile, encryptBlsKeyFile } from "../../src/keystore/bls-key-file.ts";
import { decryptKeyFile, encryptKeyFile } from "../../src/keystore/json-v3.ts";
import { EncryptedKeyError } from "../../src/keystore/key-file-fields.ts";
import { PrivateKey } from "../../src/keystore/private-key.ts";
import { fromHex, toHex } from "../../src/protocol/bytes.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const SECRET = "0x285526323b860bde9d845bed1bcaffe6a0da0373b3cf08f45f5ee3c85e095da5";
const PUBLIC = "0x8bc32126860a70c71bc6b37ff9aa7d0eabfae432d5c9f08db63dab0072e2620e";
const fixture = (name: string) => readFileSync(new URL(`../fixtures/keystore/${name}`, import.meta.url), "utf8");

/** Answers of the reference node's own derivation. */
const DERIVED = [
  ["m/12381/3600/0/0/0", SECRET, PUBLIC],
  [
    "m/12381/3600/2/0/7",
    "0x1ba79fa6560558df4e554179a80113f086770b426592016f7d5c899d5f2b7f0c",
    "0x07cb0f8ff3aae72c5ecfbf5c1f21b7e6efaeb4f5fae447df7712a588946c5f45",
  ],
] as const;

test.each(DERIVED)("the BLS key of the test mnemonic at %s is the reference's", async (path, secret, publicKey) => {
  const key = await blsKeyOfMnemonic(MNEMONIC, "", path);
  expect(key.revealText()).toBe(secret);
  expect(key.publicKey).toBe(publicKey);
});

test("a BLS key of other keying material is the reference's", () => {
  const key = blsKeyOfMaterial(new Uint8Array(32).fill(7), "m/12381/3600/0/0/1");
  expect(key.revealText()).toBe("0x20c4e976ed4812db32b5f0a6f51358e94286679270509fbf875031ec846bee35");
  expect(key.publicKey).toBe("0x888c2743bd2f00d792c77ca85e1bc00596ba8ea9a87e39ff44200cbb092c538f");
});

test("a BLS key is not shown when printed, and must be in the range of the group", () => {
  const key = new BlsKey(fromHex(SECRET));
  for (const shown of [inspect(key), JSON.stringify(key), String(key)])
    expect(shown).not.toContain(SECRET.slice(2, 20));
  expect(() => new BlsKey(new Uint8Array(32))).toThrow(RangeError);
  expect(() => new BlsKey(new Uint8Array(32).fill(0xff))).toThrow(RangeError);
  expect(() => new BlsKey(fromHex(SECRET).subarray(1))).toThrow(RangeError);
});

describe("encrypted files", () => {
  const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

  test("encrypted files of the reference node are decrypted", async () => {
    expect((await decryptBlsKeyFile(fixture("reference-bls.json"), "pass word")).revealText()).toBe(SECRET);
    expect(toHex((await decryptKeyFile(fixture("reference-eth.json"), "pass word")).reveal())).toBe(KEY);
  });

  test("what is encrypted is decrypted again with the same password only, in any of its Unicode forms", async () => {
    const password = "p\u00e4ss w\u00f6rd";
    const bls = await encryptBlsKeyFile(new BlsKey(fromHex(SECRET)), password);
    expect((await decryptBlsKeyFile(bls, password.normalize("NFD"))).publicKey).toBe(PUBLIC);
    await expect(decryptBlsKeyFile(bls, "pass word")).rejects.toThrow("cannot be decrypted with the given password");
    const eth = await encryptKeyFile(new PrivateKey(fromHex(KEY)), password);
    expect(toHex((await decryptKeyFile(eth, password.normalize("NFD"))).reveal())).toBe(KEY);
    for (const text of [bls, eth]) expect(text).not.toMatch(new RegExp(`${SECRET.slice(2)}|${KEY.slice(2)}`));
  });

  interface BlsFile {
    crypto: Record<
      "kdf" | "checksum" | "cipher",
      { function: string; params: Record<string, unknown>; message: string }
    >;
    pubkey: string;
    version: number;
  }
  test.each<[string, (file: BlsFile) => unknown, string]>([
    ["of another version", (f) => (f.version = 3), "version must be 4"],
    ["of scrypt", (f) => (f.crypto.kdf.function = "scrypt"), "crypto.kdf.function must be pbkdf2"],
    ["of another hash", (f) => (f.crypto.kdf.params.prf = "sha1"), "crypto.kdf.params.prf must be hmac-sha256"],
    [
      "with a derivation of minutes",
      (f) => (f.crypto.kdf.params.c = 1e9),
      "crypto.kdf.params.c must be a whole number",
    ],
    ["with another checksum", (f) => (f.crypto.checksum.message = "00".repeat(32)), "cannot be decrypted"],
    ["with a short key", (f) => (f.crypto.cipher.message = "00"), "crypto.cipher.message must be hex of 32 bytes"],
    ["without a cipher", (f) => Reflect.deleteProperty(f.crypto, "cipher"), "crypto.cipher must be an object"],
    ["of another public key", (f) => (f.pubkey = `0x${"11".repeat(32)}`), "states public key 0x1111"],
  ])("a BLS key file %s is refused", async (_what, change, rule) => {
    const file = JSON.parse(fixture("reference-bls.json")) as BlsFile;
    change(file);
    const failed = decryptBlsKeyFile(JSON.stringify(file), "pass word");
    await expect(failed).rejects.toThrow(EncryptedKeyError);
    await expect(failed).rejects.toThrow(rule);
  });
});
