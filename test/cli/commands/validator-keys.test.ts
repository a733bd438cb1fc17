import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { program } from "../../../src/cli/program.ts";
import { readSecret } from "../../../src/cli/validator-keys/secret-input.ts";
import { loadKeystore } from "../../../src/keystore/load-keystore.ts";
import { runSvc } from "../../world/cli/run-svc.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const KEY = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const [ADDRESS, SECOND, THIRD] = [
  "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
];
const BLS = "0x8bc32126860a70c71bc6b37ff9aa7d0eabfae432d5c9f08db63dab0072e2620e";
const FEES = `0x${"0b".repeat(32)}`;
const fixture = (name: string) => new URL(`../../fixtures/keystore/${name}`, import.meta.url);

let folder: string;
let words: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-validator-keys-"));
  words = secretFile("words", `${MNEMONIC}\n`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function secretFile(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Runs the command in this process, which saves the start of one. */
async function keys(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const shown = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((stream) =>
    vi.spyOn(process[stream], "write").mockImplementation((part) => {
      shown[stream] += String(part);
      return true;
    }),
  );
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await program().parseAsync(["validator-keys", ...args], { from: "user" });
    return { code: Number(process.exitCode), ...shown };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}
const output = () => ["--data-dir", join(folder, "keys")];
const terms = () => [...output(), "--fee-recipient", FEES];
const load = (path = join(folder, "keys")) => loadKeystore({ path, warn: () => {} });
const readJson = (path: string | URL): unknown => JSON.parse(readFileSync(path, "utf8"));

describe("svc validator-keys", () => {
  test("svc validator-keys new and add write the keystore of the reference's command", async () => {
    const made = await keys("new", ...terms(), "--mnemonic-file", words, "--count", "2", "--publisher-count", "1");
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(made.stdout).toContain(`attester   ${ADDRESS}\n  BLS key    ${BLS}\n  publisher  ${THIRD}\n`);
    expect(made.stdout).not.toMatch(/test test|ac0974/);
    const path = join(folder, "keys", "key1.json");
    const added = await keys("add", path, "--mnemonic-file", words, "--address-index", "9");
    expect(added).toMatchObject({ code: 0, stderr: "" });
    const lower = (text: string): unknown => JSON.parse(text.toLowerCase());
    expect(lower(readFileSync(path, "utf8"))).toEqual(lower(readFileSync(fixture("reference-keystore.json"), "utf8")));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("keys made with a password are only in encrypted files, and the keystore's folder stays loadable", async () => {
    const password = secretFile("password", "pass word");
    const args = ["--mnemonic-file", words, "--password-file", password, "--staker-output", "--json"];
    const { code, stdout } = await keys("new", ...terms(), ...args);
    expect(code).toBe(0);
    const written = JSON.parse(stdout);
    expect(written.validators).toEqual([{ attester: ADDRESS, bls: BLS, publishers: [] }]);
    expect(written.staker).toMatchObject([{ attester: ADDRESS, publicKeyG1: { x: `0x0${BLS.slice(3)}` } }]);
    expect(readJson(written.stakerFile)).toEqual(written.staker);
    expect(readFileSync(written.file, "utf8")).not.toContain(KEY);
    for (const name of readdirSync(join(folder, "keys", "encrypted"))) expect(name).not.toContain(KEY.slice(0, 8));
    expect((await load()).attesterAddresses()).toEqual([ADDRESS.toLowerCase()]);
    expect(await keys("list", written.file)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`BLS key        ${BLS}`),
    });
    const again = await keys("staker", "--from", written.file, "--output", join(folder, "again.json"));
    expect(again.code).toBe(0);
    expect(readJson(join(folder, "again.json"))).toEqual(written.staker);
  });

  test("a new mnemonic is printed once and restores the keys", async () => {
    const { stdout } = await keys("new", ...terms(), "--json");
    const { generatedMnemonic, validators, file } = JSON.parse(stdout);
    expect(readFileSync(file, "utf8")).not.toContain(generatedMnemonic);
    const again = await keys("new", ...terms(), "--json", "--mnemonic-file", secretFile("again", generatedMnemonic));
    expect(JSON.parse(again.stdout)).toMatchObject({ validators, file: join(dirname(file), "key2.json") });
    expect(again.stdout).not.toContain(generatedMnemonic);
  });

  test("an existing file is never overwritten, and a failed command leaves no file", async () => {
    const args = [...terms(), "--mnemonic-file", words, "--password-file", secretFile("password", "x")];
    expect((await keys("new", ...args, "--file", "mine.json")).code).toBe(0);
    const before = readdirSync(folder, { recursive: true }).toSorted();
    const { code, stderr } = await keys("new", ...args, "--file", "mine.json", "--address-index", "5");
    expect(code).toBe(1);
    expect(stderr).toBe(`error: ${join(folder, "keys", "mine.json")} exists already and is not overwritten\n`);
    expect(readdirSync(folder, { recursive: true }).toSorted()).toEqual(before);
  });

  test("validators are not added twice, nor those that publish for others", async () => {
    await keys("new", ...terms(), "--mnemonic-file", words, "--count", "2", "--publisher-count", "1");
    const path = join(folder, "keys", "key1.json");
    const before = readFileSync(path, "utf8");
    for (const [index, role, address] of [
      ["1", "attester", SECOND],
      ["2", "publisher", THIRD],
    ]) {
      const { code, stderr } = await keys("add", path, "--mnemonic-file", words, "--address-index", index);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `error: ${path} has ${role} ${address} already: give another --address-index\n`,
      });
    }
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test("keys of a remote signer are written as its addresses", async () => {
    const url = "http://127.0.0.1:9";
    expect((await keys("new", ...terms(), "--remote-signer", url)).stderr).toMatch(
      /--remote-signer needs the mnemonic/,
    );
    await keys("new", ...terms(), "--remote-signer", url, "--mnemonic-file", words);
    expect(readJson(join(folder, "keys", "key1.json"))).toMatchObject({
      validators: [{ attester: { eth: { address: ADDRESS, remoteSignerUrl: url } } }],
    });
    expect(readFileSync(join(folder, "keys", "key1.json"), "utf8")).not.toContain(KEY);
  });

  test("svc validator-keys import takes private keys, encrypted files and keystores of other nodes", async () => {
    const plain = secretFile("plain.txt", `# mine\n0x${KEY} 0x${"01".repeat(32)}\n`);
    expect((await keys("import", plain, ...terms(), "--coinbase", SECOND)).code).toBe(0);
    const password = secretFile("password", "pass word\n");
    const encrypted = fixture("reference-eth.json").pathname;
    const args = ["--file", "encrypted.json", "--key-password-file", password];
    expect((await keys("import", encrypted, ...terms(), ...args)).stdout).toContain(ADDRESS);
    const keystore = fixture("reference-keystore.json").pathname;
    const sealed = ["--file", "sealed.json", "--password-file", password];
    expect((await keys("import", keystore, ...output(), ...sealed)).stdout).toContain(SECOND);
    const loaded = (name: string) => load(join(folder, "keys", name));
    expect((await loaded("key1.json")).coinbaseOf(ADDRESS.toLowerCase())).toBe(SECOND.toLowerCase());
    expect((await loaded("encrypted.json")).attesterAddresses()).toEqual([ADDRESS.toLowerCase()]);
    expect((await loaded("sealed.json")).attesterAddresses()).toHaveLength(3);
    expect(readFileSync(join(folder, "keys", "sealed.json"), "utf8")).not.toContain(KEY);
  });

  test("an imported keystore names its encrypted files by absolute paths", async () => {
    const entry = { path: "reference-eth.json", password: "pass word" };
    const source = secretFile(
      "source.json",
      JSON.stringify({ schemaVersion: 1, validators: [{ attester: entry, feeRecipient: FEES }] }),
    );
    const from = dirname(fixture("reference-eth.json").pathname);
    expect((await keys("import", source, ...output(), "--relative-to", from)).code).toBe(0);
    expect(readJson(join(folder, "keys", "key1.json"))).toMatchObject({
      validators: [{ attester: { ...entry, path: join(from, "reference-eth.json") } }],
    });
  });

  test("all plain keys of an imported keystore are encrypted, in every place of the file", async () => {
    const [first, ...more] = ["11", "22", "33", "44", "55"].map((byte) => `0x${byte.repeat(32)}`);
    const source = secretFile(
      "source.json",
      JSON.stringify({
        schemaVersion: 2,
        publisher: [more[0]],
        prover: { id: ADDRESS, publisher: more[1] },
        slasher: more[2],
        feeRecipient: FEES,
        validators: [{ attester: { eth: first, bls: `0x${"01".repeat(32)}` }, fundingAccount: more[3] }],
      }),
    );
    const args = ["--password-file", secretFile("password", "pass word")];
    expect(await keys("import", source, ...output(), ...args)).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(folder, "keys", "key1.json"), "utf8")).not.toMatch(/(11|22|33|44|55|01){32}/);
    const [before, after] = [await load(source), await load()];
    for (const keystore of [before, after]) expect(keystore.prover?.publishers).toHaveLength(1);
    expect(after.attesterAddresses()).toEqual(before.attesterAddresses());
    expect(after.publisherAddresses()).toEqual(before.publisherAddresses());
    expect(after.slasher.map(({ address }) => address)).toEqual(before.slasher.map(({ address }) => address));
  });

  test("a keystore that add writes to another folder still finds its encrypted files", async () => {
    const entry = { path: fixture("reference-eth.json").pathname.replace(/^.*\//, ""), password: "pass word" };
    copyFileSync(fixture("reference-eth.json"), join(folder, entry.path));
    const source = secretFile(
      "source.json",
      JSON.stringify({ schemaVersion: 1, validators: [{ attester: entry, feeRecipient: FEES }] }),
    );
    const args = [...output(), "--file", "more.json", "--mnemonic-file", words];
    expect(await keys("add", source, ...args)).toMatchObject({ code: 0, stderr: "" });
    expect((await load()).attesterAddresses()).toEqual([ADDRESS, SECOND].map((address) => address.toLowerCase()));
  });

  test("svc generate-bls-keypair writes the key to a file and prints only its public key", async () => {
    const out = join(folder, "bls.json");
    const { code, stdout } = await runSvc(["generate-bls-keypair", "--mnemonic-file", words, "--out", out]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `BLS key ${BLS} (m/12381/3600/0/0/0): ${out}\n` });
    expect(readJson(out)).toEqual({
      path: "m/12381/3600/0/0/0",
      privateKey: "0x285526323b860bde9d845bed1bcaffe6a0da0373b3cf08f45f5ee3c85e095da5",
      publicKey: BLS,
      format: "compressed",
    });
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["a secret as an argument", ["--password", "hunter22"], /never from arguments/],
    ["a secret behind an equals sign", ["--mnemonic=hunter22"], /unknown option '--mnemonic'/],
    ["no terminal to ask on", ["--password"], /there is none: give --password-file/],
  ])("svc validator-keys new with %s fails without showing the secret", async (_what, args, reason) => {
    const { code, stdout, stderr } = await runSvc(["validator-keys", "new", ...terms(), ...args]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(reason);
    expect(stderr).not.toContain("hunter22");
    expect(existsSync(join(folder, "keys"))).toBe(false);
  });

  test.each<[string, () => string[], RegExp]>([
    [
      "a mistyped mnemonic",
      () => ["new", ...terms(), "--mnemonic-file", secretFile("bad", `${MNEMONIC} hunter22`)],
      /--mnemonic must be an English BIP-39 mnemonic with a valid checksum/,
    ],
    ["no fee recipient", () => ["new", ...output()], /--fee-recipient is required/],
    ["a count of zero", () => ["new", ...terms(), "--count", "0"], /--count must be a whole number from 1 to 10000/],
    [
      "the path of one BLS key for two",
      () => ["new", ...terms(), "--count", "2", "--bls-path", "m/12381/3600/1/0/0"],
      /--bls-path cannot be used with --count/,
    ],
    [
      "a wrong line of keys",
      () => ["import", secretFile("plain", `${KEY}\nhunter22\n`), ...terms()],
      /plain line 2 must be a private key: 0x and 64 hex digits/,
    ],
    [
      "a wrong password",
      () => {
        const password = secretFile("wrong", "hunter22");
        return ["import", fixture("reference-eth.json").pathname, ...terms(), "--key-password-file", password];
      },
      /reference-eth.json cannot be decrypted with the given password/,
    ],
    ["a file that does not exist", () => ["list", join(folder, "none")], /none: cannot be read \(ENOENT\)/],
    [
      "a keystore without BLS keys to register",
      () => {
        const attester = { schemaVersion: 1, validators: [{ attester: `0x${KEY}`, feeRecipient: FEES }] };
        return ["staker", "--from", secretFile("eth.json", JSON.stringify(attester))];
      },
      /eth.json has no attester with a BLS key/,
    ],
  ])(
    "svc validator-keys given %s fails with one reason, shows no secret and writes nothing",
    async (_, args, reason) => {
      const { code, stdout, stderr } = await keys(...args());
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(reason);
      expect(stderr).not.toMatch(new RegExp(`hunter22|${KEY}|${MNEMONIC}`));
      expect(existsSync(join(folder, "keys"))).toBe(false);
    },
  );
});

describe("secrets from a terminal", () => {
  /** A terminal on which `lines` are typed, one after each question, and what it shows. */
  function typing(lines: string[]) {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const output = new PassThrough();
    let shown = "";
    output.on("data", (part: Buffer) => {
      shown += part.toString("utf8");
      if (shown.endsWith(": ")) input.write(`${lines.shift()}\n`);
    });
    return { terminal: { input, output }, shown: () => shown };
  }

  test("a secret typed on a terminal is not shown", async () => {
    const { terminal, shown } = typing(["hunter22", "hunter22"]);
    const secret = await readSecret({ flag: "--password", ask: true, file: undefined, twice: true }, terminal);
    expect(secret?.reveal()).toBe("hunter22");
    expect(shown()).toBe("password: \npassword again: \n");
  });

  test("a secret that is typed differently the second time is refused", async () => {
    const { terminal } = typing(["hunter22", "hunter23"]);
    const typed = readSecret({ flag: "--password", ask: true, file: undefined, twice: true }, terminal);
    await expect(typed).rejects.toThrow("--password was typed differently the second time");
  });

  test("a secret is refused if the terminal is interrupted before it was typed", async () => {
    const { terminal } = typing(["\u0003"]);
    const typed = readSecret({ flag: "--password", ask: true, file: undefined }, terminal);
    await expect(typed).rejects.toThrow("--password was not typed");
  });
});
