import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runSvc } from "../../world/cli/run-svc.ts";

const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const [ADDRESS, REMOTE] = ["0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"];
const FEES = `0x${"0b".repeat(32)}`;
const BLS_FILE = new URL("../../fixtures/keystore/reference-bls.json", import.meta.url).pathname;

let folder: string;
let signer: Server;
let url: string;
let held: string[];
beforeEach(async () => {
  held = [REMOTE];
  folder = mkdtempSync(join(tmpdir(), "svc-keystore-check-"));
  signer = createServer((_request, response) => {
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: held }));
  });
  await new Promise<void>((resolve) => signer.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(signer.address() as AddressInfo).port}/secret-path`;
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await new Promise((resolve) => signer.close(resolve));
});

function keystore(validators: object[]): string {
  const path = join(folder, "keys.json");
  writeFileSync(path, JSON.stringify({ schemaVersion: 1, validators }), { mode: 0o600 });
  return path;
}
const withBls = (password: string) => ({
  attester: { eth: KEY, bls: { path: BLS_FILE, password } },
  publisher: REMOTE,
  remoteSigner: url,
  feeRecipient: FEES,
});
const check = (...args: string[]) => runSvc(["keystore", "check", ...args]);

test("svc keystore check tells what each validator uses and whether its remote signers hold the keys", async () => {
  const path = keystore([withBls("pass word")]);
  const { host } = new URL(url);
  const { code, stdout, stderr } = await check(path);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.split("\n")).toEqual([
    "validator 1",
    `  attester       ${ADDRESS}  key of this keystore`,
    "  BLS key        0x8bc32126860a70c71bc6b37ff9aa7d0eabfae432d5c9f08db63dab0072e2620e",
    `  publisher      ${REMOTE}  remote signer ${host}`,
    `  coinbase       ${ADDRESS}`,
    `  fee recipient  ${FEES}`,
    `remote signer ${host}: holds all 1 accounts`,
    "validators that can sign: 1",
    "",
  ]);
  writeFileSync(path, JSON.stringify({ schemaVersion: 1, validators: [withBls("pass word")], prover: KEY }));
  expect((await check(path)).stdout).toContain(
    `prover ${ADDRESS}\n  publisher      ${ADDRESS}  key of this keystore\n`,
  );
  chmodSync(path, 0o644);
  const { stdout: json } = await runSvc(["keystore", "check", "--json"], { KEY_STORE_DIRECTORY: folder });
  expect(JSON.parse(json)).toMatchObject({
    validators: [{ attester: { address: ADDRESS }, coinbase: ADDRESS }],
    remoteSigners: [{ host, accounts: 1, ok: true }],
    warnings: [`${path}: can be read by other users (mode 644): chmod 600`],
    problems: [],
  });
});

test("svc keystore check ends with code 1 when a remote signer lacks a key or does not answer", async () => {
  held = [];
  const path = keystore([withBls("pass word")]);
  const lacking = await check(path);
  const { host } = new URL(url);
  expect(lacking.code).toBe(1);
  expect(lacking.stdout).toContain(`problem: remote signer ${host} does not hold the key of ${REMOTE.toLowerCase()}`);
  await new Promise((resolve) => signer.close(resolve));
  const silent = await check(path);
  expect(silent.code).toBe(1);
  expect(silent.stdout).toContain(`remote signer ${host}: FAILED`);
  expect(silent.stdout + lacking.stdout).not.toMatch(new RegExp(`secret-path|${KEY.slice(2)}`));
});

test("svc keystore check names every fault with file, field and rule, and shows no secret", async () => {
  const path = keystore([
    { attester: { path: "none.json", password: "hunter22" }, feeRecipient: FEES },
    { attester: REMOTE, feeRecipient: FEES },
  ]);
  const { code, stdout } = await check(path);
  expect({ code, lines: stdout.split("\n") }).toEqual({
    code: 1,
    lines: [
      `problem: ${path}: validators[0].attester names ${join(folder, "none.json")}, which cannot be read (ENOENT)`,
      `problem: ${path}: validators[1].attester needs a remote signer: an address alone cannot sign`,
      "problems: 2",
      "",
    ],
  });
  const wrong = await check(keystore([withBls("hunter22")]));
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toContain(
    `validators[0].attester.bls names ${BLS_FILE}, which cannot be decrypted with the given password`,
  );
  expect(wrong.stdout).not.toContain("hunter22");
  expect((await check()).stderr).toMatch(/PATH is missing: give a keystore file or folder, or set KEY_STORE_DIRECTORY/);
});
