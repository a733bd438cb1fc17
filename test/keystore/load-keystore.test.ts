import { createCipheriv, pbkdf2Sync, scryptSync } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { KeystoreError } from "../../src/keystore/errors.ts";
import type { Keystore } from "../../src/keystore/keystore.ts";
import { loadKeystore } from "../../src/keystore/load-keystore.ts";

/** The first accounts of the mnemonic that development chains share. */
const MNEMONIC = "test test test test test test test test test test test junk";
const ACCOUNTS = [
  ["0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80", "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"],
  ["0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d", "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"],
  ["0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a", "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"],
] as const;
const [KEY, ADDRESS] = ACCOUNTS[0];
const FEES = `0x${"0b".repeat(32)}`;
const COINBASE = `0x${"C0".repeat(20)}`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-keystore-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, contents: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof contents === "string" ? contents : JSON.stringify(contents));
  return path;
}

const warnings: [object, string][] = [];
afterEach(() => void warnings.splice(0));
const load = (path = folder): Promise<Keystore> =>
  loadKeystore({ path, warn: (facts, message) => void warnings.push([facts, message]), waitsMs: [1] });

const validator = (more: object = {}) => ({ attester: KEY, feeRecipient: FEES, ...more });
const file = (more: object = {}) => ({ schemaVersion: 1, validators: [validator()], ...more });

/** The issues of one file: field and rule. */
async function faults(contents: unknown): Promise<string[]> {
  const path = write("keys.json", contents);
  const error = await load(path).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(KeystoreError);
  const { issues, message } = error as KeystoreError;
  expect(message).not.toContain(KEY.slice(2));
  for (const issue of issues) if (issue.file !== undefined) expect(issue.file).toBe(path);
  return issues.map(({ field, rule }) => `${field}: ${rule}`);
}

describe("a keystore file", () => {
  test("a keystore file gives the attester every role that is not assigned to another account", async () => {
    const keys = await load(write("keys.json", file()));
    expect(keys.attesterAddresses()).toEqual([ADDRESS]);
    expect(keys.coinbaseOf(ADDRESS)).toBe(ADDRESS);
    expect(keys.feeRecipientOf(ADDRESS)).toBe(FEES);
    expect(keys.publisherAddresses()).toEqual([ADDRESS]);
    expect(keys.attester(ADDRESS)).toMatchObject({ kind: "local", address: ADDRESS });
  });

  test("a keystore file can name coinbase and publishers", async () => {
    const publisher = [ACCOUNTS[1][0], ACCOUNTS[2][0]];
    const keys = await load(write("keys.json", file({ validators: [validator({ coinbase: COINBASE, publisher })] })));
    expect(keys.coinbaseOf(ADDRESS)).toBe(COINBASE.toLowerCase());
    expect(keys.publisherAddresses()).toEqual([ACCOUNTS[1][1], ACCOUNTS[2][1]]);
  });

  test("a keystore entry can have many attesters, with or without BLS keys", async () => {
    const attester = [
      KEY,
      { eth: ACCOUNTS[1][0], bls: `0x${"01".repeat(32)}` },
      { eth: ACCOUNTS[2][0], bls: { path: "b" } },
    ];
    const keys = await load(write("keys.json", file({ validators: [validator({ attester })] })));
    expect(keys.attesterAddresses()).toEqual(ACCOUNTS.map(([, address]) => address));
  });

  test("a mnemonic in a keystore file derives each address of each account", async () => {
    const derived = async (range: object) => {
      const attester = { mnemonic: MNEMONIC, ...range };
      return (await load(write("keys.json", file({ validators: [validator({ attester })] })))).attesterAddresses();
    };
    expect(await derived({})).toEqual([ADDRESS]);
    expect(await derived({ addressIndex: 1, addressCount: 2 })).toEqual([ACCOUNTS[1][1], ACCOUNTS[2][1]]);
    const both = await derived({ addressCount: 2, accountCount: 2 });
    expect(both).toHaveLength(4);
    expect(both.slice(2)).toEqual(await derived({ accountIndex: 1, addressCount: 2 }));
  });

  test("a keystore file of version 2 can have defaults for its validators", async () => {
    const other = {
      attester: ACCOUNTS[1][0],
      publisher: KEY,
      coinbase: `0x${"0d".repeat(20)}`,
      feeRecipient: `0x${"0e".repeat(32)}`,
    };
    const keys = await load(
      write("keys.json", {
        schemaVersion: 2,
        validators: [{ attester: KEY }, other],
        publisher: ACCOUNTS[2][0],
        coinbase: COINBASE,
        feeRecipient: FEES,
      }),
    );
    expect(keys.publishersOf(ADDRESS).map(({ address }) => address)).toEqual([ACCOUNTS[2][1]]);
    expect(keys.coinbaseOf(ADDRESS)).toBe(COINBASE.toLowerCase());
    expect(keys.feeRecipientOf(ADDRESS)).toBe(FEES);
    expect(keys.publishersOf(ACCOUNTS[1][1]).map(({ address }) => address)).toEqual([ADDRESS]);
    expect(keys.coinbaseOf(ACCOUNTS[1][1])).toBe(other.coinbase);
    expect(keys.feeRecipientOf(ACCOUNTS[1][1])).toBe(other.feeRecipient);
  });

  test("a keystore file may configure only a prover", async () => {
    const short = await load(write("keys.json", { schemaVersion: 1, prover: KEY }));
    expect(short.prover).toMatchObject({ id: ADDRESS, publishers: [{ address: ADDRESS }] });
    const publisher = [ACCOUNTS[1][0], ACCOUNTS[2][0]];
    const full = await load(write("keys.json", { schemaVersion: 1, prover: { id: COINBASE, publisher } }));
    expect(full.prover).toMatchObject({ id: COINBASE.toLowerCase(), publishers: [{}, {}] });
  });

  test("addresses are accepted without 0x, and with the checksum of EIP-55", async () => {
    const coinbase = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    const keys = await load(
      write("keys.json", file({ validators: [validator({ coinbase, feeRecipient: FEES.slice(2) })] })),
    );
    expect(keys.coinbaseOf(ADDRESS)).toBe(ADDRESS);
    expect(keys.feeRecipientOf(ADDRESS)).toBe(FEES);
    const plain = { address: ADDRESS.slice(2), remoteSignerUrl: "http://127.0.0.1:9" };
    const path = write("keys.json", file({ validators: [validator({ attester: plain })] }));
    await expect(load(path)).rejects.toThrow("remote signer 127.0.0.1:9 does not answer eth_accounts");
  });

  test("attesters of one entry without publishers publish for each other", async () => {
    const attester = [KEY, ACCOUNTS[1][0]];
    const keys = await load(write("keys.json", file({ validators: [validator({ attester })] })));
    const publishers = keys.publishersOf(ACCOUNTS[1][1]).map(({ address }) => address);
    expect(publishers).toEqual([ADDRESS, ACCOUNTS[1][1]]);
  });

  test("a mnemonic may be surrounded by white space", async () => {
    const attester = { mnemonic: ` ${MNEMONIC}\n` };
    const keys = await load(write("keys.json", file({ validators: [validator({ attester })] })));
    expect(keys.attesterAddresses()).toEqual([ADDRESS]);
  });

  test("a keystore file may hold settings that are not used: slasher and funding accounts, client certificates", async () => {
    const keys = await load(
      write(
        "keys.json",
        file({
          slasher: ACCOUNTS[1][0],
          fundingAccount: ACCOUNTS[2][0],
          validators: [validator({ fundingAccount: KEY })],
        }),
      ),
    );
    expect(keys.slasher).toMatchObject([{ address: ACCOUNTS[1][1] }]);
  });

  test("a keystore shows no secret when printed", async () => {
    const attester = [KEY, { path: writeKeyFile("v3.json", ACCOUNTS[1][0], "hunter22"), password: "hunter22" }];
    const keys = await load(write("keys.json", file({ validators: [validator({ attester })] })));
    for (const shown of [inspect(keys, { depth: 9 }), JSON.stringify(keys), String(keys.attester(ADDRESS))]) {
      expect(shown).not.toMatch(new RegExp(`${KEY.slice(2)}|hunter22`));
    }
  });
});

describe("faulty keystore files", () => {
  const cases: [string, unknown, string[]][] = [
    [
      "that is no JSON",
      '{"schemaVersion":1, "validators": ["0xac0974bec39a17e36ba4a6b4d238ff94',
      [": must be JSON (70 characters)"],
    ],
    ["that is no object", [], [": must be an object"]],
    ["of no version", { validators: [validator()] }, ["schemaVersion: must be 1 or 2"]],
    ["of a later version", file({ schemaVersion: 3 }), ["schemaVersion: must be 1 or 2"]],
    ["of nothing", { schemaVersion: 1 }, [": Keystore must have at least validators or prover configuration"]],
    [
      "without a validator",
      { schemaVersion: 1, validators: [] },
      [": Keystore must have at least validators or prover configuration"],
    ],
    ["with validators that are no array", file({ validators: {} }), ["validators: must be a list"]],
    [
      "with an unknown key",
      file({ validator: 1 }),
      ["validator: is unknown: there are schemaVersion, validators, slasher, remoteSigner, prover, fundingAccount"],
    ],
    [
      "of version 1 with a default of version 2",
      file({ coinbase: COINBASE }),
      ["coinbase: is unknown: there are schemaVersion, validators, slasher, remoteSigner, prover, fundingAccount"],
    ],
    [
      "with an unknown key in a validator",
      file({ validators: [validator({ fee: 1 })] }),
      [
        "validators[0].fee: is unknown: there are attester, coinbase, publisher, feeRecipient, remoteSigner, fundingAccount",
      ],
    ],
    ["with a validator that is no object", file({ validators: [KEY] }), ["validators[0]: must be an object"]],
    ["without an attester", file({ validators: [{ feeRecipient: FEES }] }), ["validators[0].attester: is required"]],
    ["without a fee recipient", file({ validators: [{ attester: KEY }] }), ["validators[0].feeRecipient: is required"]],
    [
      "of version 2 without a fee recipient",
      { schemaVersion: 2, validators: [{ attester: KEY }] },
      [": Each validator must have a feeRecipient, or a top-level feeRecipient must be set for all validators"],
    ],
    [
      "with a fee recipient that is not a field element",
      file({ validators: [validator({ feeRecipient: `0x${"ff".repeat(32)}` })] }),
      ["validators[0].feeRecipient: must be 64 hex digits of a field element, with 0x or without"],
    ],
    [
      "with a short coinbase",
      file({ validators: [validator({ coinbase: "0x12" })] }),
      ["validators[0].coinbase: must be 40 hex digits, with 0x or without"],
    ],
    [
      "with a coinbase against its checksum",
      file({ validators: [validator({ coinbase: "0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266" })] }),
      ["validators[0].coinbase: mixes upper and lower case against its checksum (EIP-55)"],
    ],
    [
      "with a key of another length",
      file({ validators: [validator({ attester: KEY.slice(0, -2) })] }),
      ["validators[0].attester: Invalid private key (must be 32 bytes with 0x prefix)"],
    ],
    [
      "with a key without 0x",
      file({ validators: [validator({ attester: KEY.slice(2) })] }),
      ["validators[0].attester: Invalid private key (must be 32 bytes with 0x prefix)"],
    ],
    [
      "with a key of zero",
      file({ validators: [validator({ attester: `0x${"00".repeat(32)}` })] }),
      ["validators[0].attester: Invalid private key (must be from 1 to the order of secp256k1)"],
    ],
    [
      "with an empty list",
      file({ validators: [validator({ attester: [] })] }),
      ["validators[0].attester: must not be empty"],
    ],
    [
      "with an attester of unknown form",
      file({ validators: [validator({ attester: [7] })] }),
      [
        "validators[0].attester[0]: must be a private key, an address, an object with address and remoteSignerUrl, or one with path and password",
      ],
    ],
    [
      "with a wrong BLS key",
      file({ validators: [validator({ attester: { eth: KEY, bls: "0x1" } })] }),
      ["validators[0].attester.bls: must be 0x and 64 hex digits, or an object with path and password"],
    ],
    [
      "with an address without a remote signer",
      file({ validators: [validator({ attester: ADDRESS })] }),
      ["validators[0].attester: needs a remote signer: an address alone cannot sign"],
    ],
    [
      "with a signer without URL",
      file({ validators: [validator({ attester: { address: ADDRESS } })] }),
      ["validators[0].attester.remoteSignerUrl: is required"],
    ],
    [
      "with a signer of another scheme",
      file({ remoteSigner: "ftp://signer" }),
      ["remoteSigner: must be an http or https URL"],
    ],
    [
      "with a mnemonic whose checksum is wrong",
      file({ validators: [validator({ attester: { mnemonic: MNEMONIC.replace("junk", "test") } })] }),
      ["validators[0].attester.mnemonic: must be an English BIP-39 mnemonic with a valid checksum"],
    ],
    [
      "with indexes and counts out of range",
      file({
        validators: [validator({ attester: { mnemonic: MNEMONIC, addressIndex: -1, accountCount: 0, count: 1 } })],
      }),
      [
        "validators[0].attester.count: is unknown: there are mnemonic, addressIndex, accountIndex, addressCount, accountCount",
        "validators[0].attester.addressIndex: must be a whole number from 0 to 2147483647",
        "validators[0].attester.accountCount: must be a whole number from 1 to 2147483647",
      ],
    ],
    [
      "with too many derived accounts",
      file({ validators: [validator({ attester: { mnemonic: MNEMONIC, addressCount: 10_001 } })] }),
      ["validators[0].attester: must derive at most 10000 accounts"],
    ],
    [
      "with a prover without publisher",
      { schemaVersion: 1, prover: { id: COINBASE } },
      ["prover.publisher: is required"],
    ],
  ];
  test.each(cases)("a keystore file %s is refused with field and rule", async (_what, contents, expected) => {
    expect(await faults(contents)).toEqual(expected);
  });

  test("a keystore file is refused with all its issues at once", async () => {
    expect(await faults(file({ validators: [{}, validator({ coinbase: 1 })], prover: [] }))).toHaveLength(4);
  });

  test("a keystore is refused with the issues of all its accounts at once", async () => {
    const attester = { path: "none.json" };
    expect(await faults(file({ validators: [validator({ attester }), validator({ attester: ADDRESS })] }))).toEqual([
      `validators[0].attester: names ${join(folder, "none.json")}, which cannot be read (ENOENT)`,
      "validators[1].attester: needs a remote signer: an address alone cannot sign",
    ]);
  });

  test("a keystore file with one BLS key for a folder of attesters is refused", async () => {
    mkdirSync(join(folder, "v3"));
    writeKeyFile("v3/1.json", KEY, "");
    writeKeyFile("v3/2.json", ACCOUNTS[1][0], "");
    const attester = { eth: { path: "v3" }, bls: `0x${"01".repeat(32)}` };
    expect(await faults(file({ validators: [validator({ attester })] }))).toEqual([
      "validators[0].attester.bls: is one key for several attesters",
    ]);
  });

  test("a keystore file that names an attester twice is refused", async () => {
    expect(await faults(file({ validators: [validator(), validator()] }))).toEqual([
      `validators[1]: has attester ${ADDRESS}, as ${join(folder, "keys.json")} validators[0] has`,
    ]);
  });
});

describe("keystore folders", () => {
  test("keystore files of a folder are merged in the order of their names; other files are ignored", async () => {
    write("b.json", file({ validators: [validator({ attester: ACCOUNTS[1][0] })] }));
    write("a.json", file());
    write("c.json", { schemaVersion: 1, prover: ACCOUNTS[2][0] });
    write("notes.txt", "nothing");
    const keys = await load();
    expect(keys.attesterAddresses()).toEqual([ADDRESS, ACCOUNTS[1][1]]);
    expect(keys.prover?.id).toBe(ACCOUNTS[2][1]);
  });

  test("publishers of several keystore files are added up, and the last default wins with a warning", async () => {
    const other = `0x${"0d".repeat(20)}`;
    write("a.json", { schemaVersion: 2, validators: [validator()], publisher: ACCOUNTS[1][0], coinbase: COINBASE });
    write("b.json", { schemaVersion: 2, prover: KEY, publisher: [ACCOUNTS[2][0]], coinbase: other });
    const keys = await load();
    expect(keys.publisherAddresses()).toEqual([ACCOUNTS[1][1], ACCOUNTS[2][1]]);
    expect(keys.coinbaseOf(ADDRESS)).toBe(other);
    expect(warnings).toEqual([
      [{ file: join(folder, "b.json"), field: "coinbase" }, "a later keystore file replaces a default"],
    ]);
  });

  test("a mnemonic in a later keystore file replaces the publishers of the earlier ones", async () => {
    write("a.json", { schemaVersion: 2, validators: [validator()], publisher: ACCOUNTS[1][0] });
    write("b.json", { schemaVersion: 2, prover: KEY, publisher: { mnemonic: MNEMONIC, addressIndex: 2 } });
    expect((await load()).publisherAddresses()).toEqual([ACCOUNTS[2][1]]);
  });

  test.each([
    ["the same attester twice", file(), new RegExp(`b.json: validators\\[0\\] has attester ${ADDRESS}, as .*a.json`)],
    ["two versions", { schemaVersion: 2, prover: KEY }, /a.json: schemaVersion must be 2 as in .*b.json/],
  ])("keystore files of a folder are refused with %s", async (_what, second, message) => {
    write("a.json", file());
    write("b.json", second);
    await expect(load()).rejects.toThrow(message);
  });

  test("a prover's keystore file may have an older version than those with validators", async () => {
    write("a.json", { schemaVersion: 1, prover: KEY });
    write("b.json", { schemaVersion: 2, validators: [validator()] });
    expect((await load()).attesterAddresses()).toEqual([ADDRESS]);
  });

  test("keystore files whose names end in .JSON are read too", async () => {
    write("A.JSON", file());
    expect((await load()).attesterAddresses()).toEqual([ADDRESS]);
  });

  test("two keystore files with a prover each are refused", async () => {
    write("a.json", { schemaVersion: 1, prover: KEY });
    write("b.json", { schemaVersion: 1, prover: KEY });
    await expect(load()).rejects.toThrow(/b.json: prover must be given in one file only/);
  });

  test("faulty keystore files of a folder are refused together, each issue with its file", async () => {
    write("a.json", "{");
    write("b.json", { schemaVersion: 9 });
    await expect(load()).rejects.toThrow(/a.json: must be JSON .1 characters.; .*b.json: schemaVersion must be 1 or 2/);
  });

  test("a keystore folder without files is refused", async () => {
    await expect(load()).rejects.toThrow(`${folder}: must hold a .json file`);
    await expect(load(join(folder, "none"))).rejects.toThrow("none: cannot be read (ENOENT)");
  });
});

/** Writes a V3 key file with cheap key derivation. */
function writeKeyFile(
  name: string,
  key: string,
  password: string,
  change: (file: V3) => void = () => {},
  kdf = "scrypt",
): string {
  const salt = Buffer.alloc(32, 7);
  const iv = Buffer.alloc(16, 3);
  const derived =
    kdf === "scrypt"
      ? scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 })
      : pbkdf2Sync(password, salt, 1000, 32, "sha256");
  const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(key.slice(2), "hex")), cipher.final()]);
  const mac = Buffer.from(keccak_256(Buffer.concat([derived.subarray(16, 32), ciphertext])));
  const contents: V3 = {
    version: 3,
    id: "00000000-0000-0000-0000-000000000000",
    crypto: {
      cipher: "aes-128-ctr",
      ciphertext: ciphertext.toString("hex"),
      cipherparams: { iv: iv.toString("hex") },
      kdf,
      kdfparams:
        kdf === "scrypt"
          ? { n: 1024, r: 8, p: 1, dklen: 32, salt: salt.toString("hex") }
          : { c: 1000, prf: "hmac-sha256", dklen: 32, salt: salt.toString("hex") },
      mac: mac.toString("hex"),
    },
  };
  change(contents);
  return write(name, contents);
}

interface V3 {
  version: number;
  id: string;
  address?: string;
  crypto: Record<string, unknown> & { kdfparams: Record<string, unknown> };
}

describe("encrypted key files", () => {
  const withFile = (attester: object) => write("keys/keys.json", file({ validators: [validator({ attester })] }));
  beforeEach(() => mkdirSync(join(folder, "keys")));

  test.each(["scrypt", "pbkdf2"])(
    "key files of %s are decrypted; a relative path starts at the keystore file's folder",
    async (kdf) => {
      writeKeyFile("keys/v3.json", KEY, "secret", () => {}, kdf);
      expect((await load(withFile({ path: "v3.json", password: "secret" }))).attesterAddresses()).toEqual([ADDRESS]);
    },
  );

  test("the test vector of the Web3 Secret Storage Definition is decrypted", async () => {
    const path = write("vector.json", {
      crypto: {
        cipher: "aes-128-ctr",
        cipherparams: { iv: "6087dab2f9fdbbfaddc31a909735c1e6" },
        ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
        kdf: "pbkdf2",
        kdfparams: {
          c: 262144,
          dklen: 32,
          prf: "hmac-sha256",
          salt: "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
        },
        mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
      },
      id: "3198bc9c-6672-5ab3-d995-4942343ae5b6",
      version: 3,
    });
    const keys = await load(withFile({ path, password: "testpassword" }));
    const [{ attesters }] = keys.validators;
    const [account] = attesters;
    if (account.kind !== "local") throw new Error("a local account was expected");
    expect(Buffer.from(account.key.reveal()).toString("hex")).toBe(
      "7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d",
    );
  });

  test("the key files of a folder are all decrypted, in the order of their names", async () => {
    mkdirSync(join(folder, "v3"));
    writeKeyFile("v3/2.json", ACCOUNTS[1][0], "secret");
    writeKeyFile("v3/1.json", KEY, "secret");
    const keys = await load(withFile({ path: join(folder, "v3"), password: "secret" }));
    expect(keys.attesterAddresses()).toEqual([ADDRESS, ACCOUNTS[1][1]]);
  });

  test.each<[string, (file: V3) => void, string, RegExp]>([
    ["with another password", () => {}, "wrong", /which cannot be decrypted with the given password/],
    ["without a password", () => {}, "", /which cannot be decrypted: no password is given/],
    ["of another version", (f) => (f.version = 1), "secret", /version must be 3/],
    ["with another cipher", (f) => (f.crypto.cipher = "aes-256-gcm"), "secret", /cipher must be aes-128-ctr/],
    ["with another derivation", (f) => (f.crypto.kdf = "argon2"), "secret", /kdf must be scrypt or pbkdf2/],
    ["with an altered MAC", (f) => (f.crypto.mac = "00".repeat(32)), "secret", /cannot be decrypted/],
    ["without a MAC", (f) => delete f.crypto.mac, "secret", /crypto.mac must be hex of 32 bytes/],
    ["with a cost of no power of two", (f) => (f.crypto.kdfparams.n = 1000), "secret", /n must be a power of two/],
    ["that ask for hours of work", (f) => (f.crypto.kdfparams.p = 2 ** 14), "secret", /p must be a whole number/],
    [
      "that ask for minutes of work",
      (f) => Object.assign(f.crypto.kdfparams, { n: 2 ** 17, p: 128 }),
      "secret",
      /must not ask for more work than n \* r \* p = 67108864/,
    ],
    ["that ask for all memory", (f) => (f.crypto.kdfparams.n = 2 ** 24), "secret", /not ask for more than/],
    [
      "of another account",
      (f) => (f.address = "11".repeat(20)),
      "secret",
      /states address 0x1111.* but holds the key of 0xf39f/,
    ],
  ])("encrypted key files %s are refused", async (_what, change, password, message) => {
    writeKeyFile("v3.json", KEY, "secret", change);
    const failed = load(withFile({ path: join(folder, "v3.json"), password }));
    await expect(failed).rejects.toThrow(KeystoreError);
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toThrow(/keys.json: validators\[0\].attester names .*v3.json/);
  });

  test("a password is accepted in the form in which the key file's wallet hashed it", async () => {
    // The first letter is a ligature, which NFKC writes as two letters.
    const typed = "\ufb01sh";
    for (const hashed of [typed, "fish"]) {
      const path = writeKeyFile("v3.json", KEY, hashed);
      expect((await load(withFile({ path, password: typed }))).attesterAddresses()).toEqual([ADDRESS]);
    }
  });

  test("a folder of key files that holds an account twice is refused", async () => {
    mkdirSync(join(folder, "v3"));
    writeKeyFile("v3/1.json", KEY, "secret");
    writeKeyFile("v3/2.json", KEY, "secret");
    await expect(load(withFile({ path: join(folder, "v3"), password: "secret" }))).rejects.toThrow(
      new RegExp(`names .*2.json, which holds the key of ${ADDRESS}, as .*1.json does`),
    );
  });

  test("key files that do not exist are refused", async () => {
    await expect(load(withFile({ path: "none.json" }))).rejects.toThrow(
      /names .*none.json, which cannot be read \(ENOENT\)/,
    );
    mkdirSync(join(folder, "empty"));
    await expect(load(withFile({ path: join(folder, "empty") }))).rejects.toThrow(/holds no .json file/);
  });
});

describe("remote signers", () => {
  let server: Server;
  let url: string;
  let held: unknown = [];
  let asked = 0;
  beforeEach(async () => {
    asked = 0;
    server = createServer((_request, response) => {
      asked++;
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: held }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`;
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  test("the remote signer of an account comes from the account, then the validator, then the file", async () => {
    held = ACCOUNTS.map(([, address]) => address.toUpperCase().replace("0X", "0x"));
    const of = (path: string) => `${url}/${path}`;
    const keys = await load(
      write("keys.json", {
        schemaVersion: 1,
        remoteSigner: { remoteSignerUrl: of("file"), certPath: "c", certPass: "p" },
        validators: [
          validator({ attester: ADDRESS }),
          validator({ attester: ACCOUNTS[1][1], remoteSigner: of("validator") }),
          validator({
            attester: { address: ACCOUNTS[2][1], remoteSignerUrl: of("account") },
            remoteSigner: of("validator"),
          }),
        ],
      }),
    );
    const signers = keys.attesterAddresses().map((address) => keys.attester(address));
    expect(signers).toMatchObject([
      { kind: "remote", signer: { url: of("file") } },
      { kind: "remote", signer: { url: of("validator") } },
      { kind: "remote", signer: { url: of("account") } },
    ]);
    expect(asked).toBe(3);
    expect(warnings).toEqual([
      [
        { host: new URL(url).host },
        "client certificates are not used: the remote signer must accept requests without one",
      ],
    ]);
  });

  test("publishers of the file sign through their validator's remote signer", async () => {
    held = [ACCOUNTS[1][1]];
    const keys = await load(
      write("keys.json", {
        schemaVersion: 2,
        publisher: ACCOUNTS[1][1],
        validators: [validator({ remoteSigner: url })],
      }),
    );
    expect(keys.publishersOf(ADDRESS)).toMatchObject([{ kind: "remote", address: ACCOUNTS[1][1], signer: { url } }]);
  });

  test("a remote signer must hold every account that names it", async () => {
    held = [ACCOUNTS[1][1]];
    const failed = load(
      write("keys.json", file({ remoteSigner: url, validators: [validator({ attester: ADDRESS })] })),
    );
    const { host } = new URL(url);
    await expect(failed).rejects.toThrow(`remote signer ${host} does not hold the key of ${ADDRESS}`);
    await expect(failed).rejects.not.toThrow("secret-path");
  });

  test("a remote signer is asked again before the keystore is refused", async () => {
    held = "nothing";
    const failed = load(
      write("keys.json", file({ remoteSigner: url, validators: [validator({ attester: ADDRESS })] })),
    );
    await expect(failed).rejects.toThrow("does not answer eth_accounts (2 attempts)");
    expect(asked).toBe(2);
  });
});

test("a folder whose name ends in .json is read as a key file", async () => {
  mkdirSync(join(folder, "x.json"));
  await expect(load()).rejects.toThrow("x.json: cannot be read (EISDIR)");
});
