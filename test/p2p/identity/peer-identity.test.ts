import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PeerKeyError } from "../../../src/p2p/identity/errors.ts";
import { generatePeerIdentity, peerIdentity } from "../../../src/p2p/identity/peer-identity.ts";
import { resolvePeerIdentity } from "../../../src/p2p/identity/peer-key-file.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { vectors } from "../../world/p2p/identity-vectors.ts";

const KEY = vectors.enr.node.privateKeyFileContent;
const OTHER = vectors.enr.bootnode.privateKeyHex;

describe("a peer identity", () => {
  test("has the peer id of the network's vectors", () => {
    expect(peerIdentity(KEY, "key").id).toBe(vectors.enr.node.peerId);
    expect(peerIdentity(`0x${OTHER.toUpperCase()}\n`.replace("0X", "0x"), "key").id).toBe(vectors.enr.bootnode.peerId);
  });

  test("that is generated can be read again from its text", () => {
    const { id, keyText } = generatePeerIdentity();
    expect(id).toMatch(/^16Uiu2/);
    expect(peerIdentity(keyText, "key").id).toBe(id);
    expect(generatePeerIdentity().id).not.toBe(id);
  });

  test.each([
    ["text that is no hex", "key"],
    ["a bare key without the protobuf header", KEY.slice(8)],
    ["an Ed25519 key", `08011220${KEY.slice(8)}`],
    ["a key of 31 bytes", KEY.slice(0, -2)],
    ["key zero", `08021220${"00".repeat(32)}`],
    ["a key above the order of the curve", `08021220${"ff".repeat(32)}`],
  ])("is refused for %s, by an error without the key", (_, text) => {
    const read = (): unknown => peerIdentity(text, "the key file /k");
    expect(read).toThrow(PeerKeyError);
    expect(read).toThrow(/^the key file \/k must /);
    if (text.length > 10) expect(read).not.toThrow(text.slice(10, 40));
  });
});

describe("the peer key of a node", () => {
  let folder: string;
  let warnings: string[];
  const log = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) };
  const path = (): string => join(folder, "keys", "p2p-private-key");

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "svc-peer-key-"));
    warnings = [];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("is generated once, and only its owner can read the file", () => {
    const first = resolvePeerIdentity({ key: undefined, path: path(), log });
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(readFileSync(path(), "utf8")).toBe(first.keyText);
    expect(resolvePeerIdentity({ key: undefined, path: path(), log }).id).toBe(first.id);
    expect(warnings).toEqual([]);
  });

  test("is the configured one before the file's, which it replaces", () => {
    resolvePeerIdentity({ key: undefined, path: path(), log });
    expect(resolvePeerIdentity({ key: KEY, path: path(), log }).id).toBe(vectors.enr.node.peerId);
    expect(resolvePeerIdentity({ key: undefined, path: path(), log }).id).toBe(vectors.enr.node.peerId);
  });

  test("without a place for a file is new in each run, with a warning", () => {
    const first = resolvePeerIdentity({ key: undefined, path: undefined, log });
    expect(resolvePeerIdentity({ key: undefined, path: undefined, log }).id).not.toBe(first.id);
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toMatch(/this run only: set a data directory or PEER_ID_PRIVATE_KEY_PATH/);
  });

  test("is read from the reference's file, a line break included, with a warning while others may read it", () => {
    const file = join(folder, "key");
    writeFileSync(file, `${KEY}\n`, { mode: 0o644 });
    expect(resolvePeerIdentity({ key: undefined, path: file, log }).id).toBe(vectors.enr.node.peerId);
    expect(warnings).toEqual(["other users may read the peer key in {path} (mode {mode})"]);
  });

  test("in a file that cannot be used ends the start with the file's name and the rule", () => {
    const file = join(folder, "key");
    writeFileSync(file, KEY.slice(1));
    expect(() => resolvePeerIdentity({ key: undefined, path: file, log })).toThrow(
      `the peer key file ${file} must be 08021220 and the 64 hex digits of a secp256k1 key`,
    );
    expect(() => resolvePeerIdentity({ key: undefined, path: folder, log })).toThrow("cannot be read (EISDIR)");
    expect(() => resolvePeerIdentity({ key: KEY, path: join(file, "below"), log })).toThrow(
      /cannot be written \(E(NOTDIR|EXIST)\)/,
    );
  });
});
