import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENR, SignableENR } from "@chainsafe/enr";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type RecordContent, signedRecord } from "../../../src/p2p/discovery/node-record.ts";
import { firstSequence, OwnRecord } from "../../../src/p2p/discovery/own-record.ts";
import { RecordFile } from "../../../src/p2p/discovery/record-file.ts";
import { isCompatible, isSound, mayBeRelayed, parseRecord, peerOf } from "../../../src/p2p/discovery/record-rules.ts";
import { type PeerIdentity, peerIdentity } from "../../../src/p2p/identity/peer-identity.ts";
import { remembering, rememberValidSignatures } from "../../../src/p2p/patches/enr.ts";
import {
  bootnodeVersion,
  componentVersion,
  sameComponents,
} from "../../../src/protocol/consensus/component-version.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { vectors } from "../../world/p2p/identity-vectors.ts";

const { node, bootnode, nodeWithoutIp } = vectors.enr;
const VERSION = node.aztecKey;
const identity = peerIdentity(node.privateKeyFileContent, "key");
const content: RecordContent = { version: VERSION, release: "4.1.2", ip: node.ip, udp: 40400, tcp: 40400 };

describe("the version string", () => {
  test("is that of the network's vectors", () => {
    expect(componentVersion(vectors.componentVersion.input, V4.contracts)).toBe(vectors.componentVersion.compressed);
    expect(bootnodeVersion(bootnode.l1ChainId, V4.contracts)).toBe(bootnode.aztecKey);
  });

  test.each([
    ["equal", VERSION, true],
    ["longer by parts that are ignored", `${VERSION}-more-parts`, true],
    ["of another L1", VERSION.replace("00-1-", "00-2-"), false],
    ["of another circuit tree", `${VERSION.slice(0, -1)}0`, false],
    ["shorter by a part", VERSION.slice(0, -9), false],
    ["longer in its last part", `${VERSION}0`, false],
    ["empty", "", false],
  ])("compares with one that is %s", (_, theirs, same) => {
    expect(sameComponents(VERSION, theirs)).toBe(same);
  });
});

describe("a node record", () => {
  test("has the text of the network's vectors", () => {
    expect(signedRecord(identity, content, BigInt(node.seq)).encodeTxt()).toBe(node.txt);
    const hidden = { ...content, ip: undefined };
    expect(signedRecord(identity, hidden, BigInt(nodeWithoutIp.seq)).encodeTxt()).toBe(nodeWithoutIp.txt);
    const boot = { version: bootnode.aztecKey, release: undefined, ip: "127.0.0.1", udp: 40401, tcp: undefined };
    const key = peerIdentity(bootnode.privateKeyHex, "key");
    expect(signedRecord(key, boot, BigInt(bootnode.seq)).encodeTxt()).toBe(bootnode.txt);
  });

  test("is read as a peer with its TCP address", () => {
    expect(peerOf(parseRecord(node.txt, "record"))).toEqual({
      id: node.peerId,
      address: "/ip4/127.0.0.1/tcp/40400",
      enr: node.txt,
    });
    expect(peerOf(parseRecord(bootnode.txt, "record")).address).toBeUndefined();
  });

  test("is compatible with a node of the same version only", () => {
    expect(isCompatible(parseRecord(node.txt, "record"), VERSION)).toBe(true);
    expect(isCompatible(parseRecord(node.txt, "record"), VERSION.replace("-1-", "-2-"))).toBe(false);
    expect(isCompatible(parseRecord(bootnode.txt, "record"), VERSION)).toBe(false);
    expect(isCompatible(SignableENR.createV4(identity.privateKey.raw).toENR(), VERSION)).toBe(false);
  });

  test.each([
    ["no record", "enr:abc"],
    ["another prefix", node.txt.slice(4)],
    ["a changed byte", node.txt.replace("Ma4", "Mb4")],
    ["a changed signature", node.txt.replace("QBoft6", "QBoft7")],
  ])("with %s is refused by an error that names its source", (_, text) => {
    expect(() => parseRecord(text, "trustedPeers item 2")).toThrow(/^trustedPeers item 2 must be enr: and a signed/);
  });
});

describe("a signed record of a peer", () => {
  const changed = (change: (record: SignableENR) => void): ENR => {
    const record = SignableENR.createFromPrivateKey(identity.privateKey as never, {
      ...Object.fromEntries(ENR.decodeTxt(node.txt).kvs),
    });
    change(record);
    return new ENR(record.kvs, record.seq, record.signature);
  };

  test.each<[string, (record: SignableENR) => void, boolean]>([
    ["as the network's nodes have it", () => undefined, true],
    ["without address and ports", (r) => ["ip", "udp", "tcp"].forEach((key) => void r.delete(key)), true],
    ["an address of 5 bytes", (r) => r.set("ip", Buffer.from("0102030405", "hex")), false],
    ["an empty address", (r) => r.set("ip", Buffer.alloc(0)), false],
    ["the broadcast address", (r) => r.set("ip", Buffer.from("ffffffff", "hex")), false],
    ["a multicast address", (r) => r.set("ip", Buffer.from("e0000001", "hex")), false],
    ["the address 0.0.0.0", (r) => r.set("ip", Buffer.alloc(4)), false],
    ["UDP port 0", (r) => r.set("udp", Buffer.alloc(2)), false],
    ["a UDP port of one byte", (r) => r.set("udp", Buffer.of(9)), false],
    ["a TCP port of three bytes", (r) => r.set("tcp", Buffer.of(1, 2, 3)), false],
    ["a number above 2^53", (r) => Object.assign(r, { seq: 2n ** 60n, _signature: Buffer.alloc(64) }), false],
    ["300 bytes", (r) => r.set("zz", Buffer.alloc(120)), false],
  ])("with %s is used or not", (_, change, sound) => {
    expect(isSound(changed(change))).toBe(sound);
  });

  test("with a private address is taken from nodes with private addresses only", () => {
    const local = parseRecord(node.txt, "record");
    const remote = changed((r) => r.set("ip", Buffer.of(8, 8, 8, 8)));
    expect(mayBeRelayed(local, remote)).toBe(false);
    expect(mayBeRelayed(local, local)).toBe(true);
    expect(mayBeRelayed(remote, local)).toBe(true);
    expect(mayBeRelayed(remote, remote)).toBe(true);
  });
});

describe("the own record", () => {
  let folder: string;
  let warnings: string[];
  const log = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) };
  const open = (change: Partial<RecordContent> = {}, who: PeerIdentity = identity): OwnRecord =>
    new OwnRecord({
      identity: who,
      content: { ...content, ...change },
      file: new RecordFile(join(folder, "record"), log),
      first: 100n,
    });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "svc-record-"));
    warnings = [];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("keeps its number over restarts while nothing changes", () => {
    const { text } = open();
    expect(ENR.decodeTxt(text).seq).toBe(100n);
    expect(open().text).toBe(text);
    expect(readFileSync(join(folder, "record"), "utf8")).toBe(`${text}\n`);
    expect(warnings).toEqual([]);
  });

  test("gets a higher number for each change, back to an earlier content too", () => {
    open();
    expect(open({ ip: "10.0.0.2" }).signable.seq).toBe(101n);
    expect(open({ ip: "10.0.0.2", udp: 40401, tcp: 40401 }).signable.seq).toBe(102n);
    expect(open().signable.seq).toBe(103n);
  });

  test("gets a higher number than one that was changed while the node ran", () => {
    const running = open({ ip: undefined });
    running.signable.ip = "10.0.0.3";
    running.signable.tcp = 40400;
    running.kept();
    expect(running.signable.seq).toBe(102n);
    expect(open({ ip: undefined }).signable.seq).toBe(103n);
  });

  test("starts anew for another key and after a damaged file, with a warning for the latter", () => {
    open();
    expect(open({}, peerIdentity(bootnode.privateKeyHex, "key")).signable.seq).toBe(100n);
    expect(warnings).toEqual([]);
    writeFileSync(join(folder, "record"), "enr:damaged");
    expect(open().signable.seq).toBe(100n);
    expect(warnings).toEqual(["the node record in {path} cannot be read: {reason}"]);
  });

  test("works with a warning where it cannot be stored", () => {
    rmSync(folder, { recursive: true });
    expect(open().signable.seq).toBe(100n);
    expect(warnings).toEqual(["the node record in {path} cannot be written: {reason}"]);
  });

  test("without a stored one has a number above those of earlier runs", () => {
    expect(firstSequence(1_000_000)).toBe(1000n);
    expect(firstSequence()).toBeGreaterThan(BigInt(node.seq));
  });
});

describe("remembered signatures", () => {
  test("do not make a changed record valid", () => {
    rememberValidSignatures();
    const valid = parseRecord(node.txt, "record");
    expect(parseRecord(node.txt, "record").nodeId).toBe(valid.nodeId);
    const { kvs, seq, signature } = valid;
    const forged = new ENR(new Map([...kvs, ["ip", Buffer.of(9, 9, 9, 9)]]), seq, signature);
    expect(() => parseRecord(forged.encodeTxt(), "record")).toThrow("must be enr: and a signed node record");
    const renumbered = new ENR(kvs, seq + 1n, signature);
    expect(() => parseRecord(renumbered.encodeTxt(), "record")).toThrow("must be enr: and a signed node record");
    const lengthened = new ENR(kvs, seq, Buffer.concat([signature, Buffer.of(0)]));
    expect(() => parseRecord(lengthened.encodeTxt(), "record")).toThrow("must be enr: and a signed node record");
  });

  test("are verified once, invalid ones each time", () => {
    const asked: boolean[] = [];
    const verify = remembering((_, message) => {
      asked.push(message[0] === 1);
      return message[0] === 1;
    });
    const [key, signature] = [randomBytes(33), randomBytes(64)];
    const answers = [1, 2, 1, 2, 1].map((byte) => verify(key, Buffer.of(byte), signature));
    expect(answers).toEqual([true, false, true, false, true]);
    expect(asked).toEqual([true, false, false]);
    expect(verify(key.subarray(1), Buffer.of(1), signature)).toBe(false);
    expect(asked).toHaveLength(3);
  });
});
