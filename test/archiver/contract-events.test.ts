import { createHash } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { ContentStore } from "../../src/archiver/content-store.ts";
import { contractEvents, type RefusedEvent } from "../../src/archiver/contract-events.ts";
import { packedBytecodeFields, publicBytecodeCommitment } from "../../src/core/derive/contract-class.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { bigUintBytes, concat, fromHex, toHex } from "../../src/protocol/bytes.ts";
import { readCheckpointBlobs } from "../../src/protocol/checkpoint-blob.ts";
import { CONTRACT_CLASS_LOG_FIELDS } from "../../src/protocol/constants.ts";
import {
  CLASS_PUBLISHED,
  INSTANCE_PUBLISHED,
  INSTANCE_REGISTRY,
  INSTANCE_UPDATED,
  readClassPublished,
} from "../../src/protocol/contracts/contract-events.ts";
import { FR_MODULUS, fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { FakeL1 } from "../world/archiver/fake-l1.ts";
import { type Follower, follow, settle } from "../world/archiver/following.ts";
import { GENESIS_ARCHIVE, seeded, synthesize, type TxLogs } from "../world/archiver/synthetic-chain.ts";
import { type L1Vectors, readVectors, wholeBlobs } from "../world/archiver/vectors.ts";
import { siloPrivateLogFirstField } from "../world/core/private-log.ts";
import { madeClass, madeInstance, updateLog, withWord } from "./contract-logs.ts";

const core = loadCore();

/** The effects of a block whose txs emit these logs. */
function effects(logs: TxLogs[]) {
  const plan = { number: 1, slot: 1, firstBlock: 1, lastArchive: GENESIS_ARCHIVE, salt: "events" };
  const { blob } = synthesize({ ...plan, blocks: [logs.map(() => [])], logs: [logs] }, core);
  return readCheckpointBlobs(blob).blocks[0].txs;
}

const good = madeClass("good", core);
const instance = madeInstance("good", good.id, core);
const classLog = (fields: Uint8Array): TxLogs => ({ class: { contractAddress: V4.contracts.classRegistry, fields } });
const most = fr(FR_MODULUS - 1n);
/** Too long for the 3017 words behind the head of a log. */
const tooLong = (CONTRACT_CLASS_LOG_FIELDS - 6) * 31 + 1;

const REFUSED: [name: string, logs: TxLogs, event: RefusedEvent["event"], rule: RegExp][] = [
  [
    "another class id",
    classLog(withWord(good.log.fields, 1, seeded("other"))),
    "ContractClassPublished",
    /must be that of its parts/,
  ],
  [
    "altered bytecode, so another commitment",
    classLog(withWord(good.log.fields, 6, fr(7))),
    "ContractClassPublished",
    /must be that of its parts/,
  ],
  [
    "a shorter byte length, so another commitment",
    classLog(withWord(good.log.fields, 5, fr(3))),
    "ContractClassPublished",
    /must be that of its parts/,
  ],
  [
    "class version 2",
    classLog(withWord(good.log.fields, 2, fr(2))),
    "ContractClassPublished",
    /version must be 1, got 2/,
  ],
  [
    "a class version beyond numbers",
    classLog(withWord(good.log.fields, 2, most)),
    "ContractClassPublished",
    /version must be 1, got Infinity/,
  ],
  [
    "a byte length beyond numbers",
    classLog(withWord(good.log.fields, 5, most)),
    "ContractClassPublished",
    /bytecode must be at most 93527 bytes/,
  ],
  [
    "a byte length beyond the log",
    classLog(withWord(good.log.fields, 5, fr(tooLong))),
    "ContractClassPublished",
    /bytecode must be at most 93527 bytes/,
  ],
  [
    "a byte length of 3000 chunks",
    classLog(withWord(good.log.fields, 5, fr(93_000))),
    "ContractClassPublished",
    /must be at most 92969 bytes/,
  ],
  ["a class cut inside its head", classLog(good.log.fields.subarray(0, 96)), "ContractClassPublished", /must be/],
  [
    "a class of its magic value alone",
    classLog(good.log.fields.subarray(0, 32)),
    "ContractClassPublished",
    /version must be 1, got 0/,
  ],
  [
    "a class cut inside its bytecode",
    classLog(good.log.fields.subarray(0, 7 * 32)),
    "ContractClassPublished",
    /must be that of its parts/,
  ],
  [
    "another address",
    { private: [withWord(instance.log, 1, fr(9))] },
    "ContractInstancePublished",
    /must be that of its parts/,
  ],
  [
    "another salt",
    { private: [withWord(instance.log, 3, fr(9))] },
    "ContractInstancePublished",
    /must be that of its parts/,
  ],
  [
    "instance version 2",
    { private: [withWord(instance.log, 2, fr(2))] },
    "ContractInstancePublished",
    /version must be 1, got 2/,
  ],
  [
    "a viewing key off the curve",
    { private: [withWord(instance.log, 8, fr(1))] },
    "ContractInstancePublished",
    /must be a point of the curve/,
  ],
  [
    "an instance cut before its deployer",
    { private: [instance.log.subarray(0, 14 * 32)] },
    "ContractInstancePublished",
    /must be that of its parts/,
  ],
  [
    "an instance of its tag alone",
    { private: [INSTANCE_PUBLISHED] },
    "ContractInstancePublished",
    /version must be 1, got 0/,
  ],
  [
    "an update cut before its timestamp",
    {
      public: [
        {
          contractAddress: INSTANCE_REGISTRY,
          fields: updateLog(instance.address, fr(0), good.id, 5).fields.subarray(0, 128),
        },
      ],
    },
    "ContractInstanceUpdated",
    /must have at least 5 fields, got 4/,
  ],
  [
    "an update of its magic value alone",
    { public: [{ contractAddress: INSTANCE_REGISTRY, fields: INSTANCE_UPDATED }] },
    "ContractInstanceUpdated",
    /got 1/,
  ],
];

const IGNORED: [name: string, logs: TxLogs][] = [
  ["an unknown magic value", classLog(withWord(good.log.fields, 0, seeded("magic")))],
  [
    "a private function broadcast",
    classLog(concat(fromHex("0x0ea9d22f6c3686a6866f103431c5796d2be7b7a3d0c3abcf7636b064ab09e618"), good.id)),
  ],
  ["a class log of another contract", { class: { contractAddress: fr(2), fields: good.log.fields } }],
  [
    "an unsiloed instance tag",
    {
      private: [
        withWord(instance.log, 0, fromHex("0x174c6b3d0fd14728e4fc5e53f7b262ab943546a7e125e2ed5e9fde3cf0b3e22f")),
      ],
    },
  ],
  [
    "an update of another contract",
    { public: [{ ...updateLog(instance.address, fr(0), good.id, 5), contractAddress: fr(3) }] },
  ],
  ["a public log without fields", { public: [{ contractAddress: INSTANCE_REGISTRY, fields: new Uint8Array(0) }] }],
];

describe("contract events", () => {
  test("the tag of an instance log is the magic value siloed with the registry's address", () => {
    const magic = fromHex("0x174c6b3d0fd14728e4fc5e53f7b262ab943546a7e125e2ed5e9fde3cf0b3e22f");
    expect(toHex(siloPrivateLogFirstField(core, INSTANCE_REGISTRY, magic))).toBe(toHex(INSTANCE_PUBLISHED));
  });

  test("the contract events of a valid block are found with their tx and log index", () => {
    const txs = effects([
      {},
      {
        private: [seeded("other"), instance.log],
        public: [updateLog(instance.address, fr(0), good.id, 5)],
        ...classLog(good.log.fields),
      },
    ]);
    const { classes, instances, updates, refused } = contractEvents(txs, core, V4.contracts);
    expect(classes.map(({ id, tx }) => [toHex(id), tx])).toEqual([[toHex(good.id), 1]]);
    expect(instances.map(({ address, tx, log }) => [toHex(address), tx, log])).toEqual([
      [toHex(instance.address), 1, 1],
    ]);
    expect(updates.map(({ address, tx, log }) => [toHex(address), tx, log])).toEqual([[toHex(instance.address), 1, 2]]);
    expect(refused).toEqual([]);
  });

  test("fields that a contract event's log did not emit are read as zero", () => {
    const zeros = madeClass("zeros", core, new Uint8Array(70));
    const { classes } = contractEvents(effects([classLog(zeros.log.fields.subarray(0, 6 * 32))]), core, V4.contracts);
    expect(classes.map(({ id }) => toHex(id))).toEqual([toHex(zeros.id)]);
  });

  test.each(REFUSED)("a contract event is refused by the rule that it breaks: %s", (_, logs, event, rule) => {
    const found = contractEvents(effects([{}, logs]), core, V4.contracts);
    expect(found).toMatchObject({ classes: [], instances: [], updates: [] });
    expect(found.refused).toEqual([{ event, tx: 1, log: 0, rule: expect.stringMatching(rule) }]);
  });

  test.each(IGNORED)("a log is not a contract event: %s", (_, logs) => {
    expect(contractEvents(effects([logs]), core, V4.contracts)).toEqual({
      classes: [],
      instances: [],
      updates: [],
      refused: [],
    });
  });

  test("the timestamp of change of an instance update may be any field element", () => {
    const log = updateLog(instance.address, fr(0), good.id, 5);
    const fields = withWord(log.fields, 4, bigUintBytes(FR_MODULUS - 1n, 32));
    expect(contractEvents(effects([{ public: [{ ...log, fields }] }]), core, V4.contracts).updates).toHaveLength(1);
  });
});

describe("contract events of the network", () => {
  const { live } = readVectors<L1Vectors>("l1.json");
  const txsOf = (checkpoint: number) => {
    const vector = live.checkpoints.find(({ checkpointNumber }) => checkpointNumber === checkpoint)!;
    return readCheckpointBlobs(wholeBlobs(vector)).blocks[0].txs;
  };

  test.each(live.contractClasses)("the recorded contract class $contractClassId is read from its log", (v) => {
    const txs = txsOf(v.checkpoint);
    const { classes, refused } = contractEvents(txs, core, V4.contracts);
    expect(refused).toEqual([]);
    expect(classes.filter(({ tx }) => tx === v.txIndex).map(({ id }) => toHex(id))).toEqual([v.contractClassId]);
    const event = readClassPublished(txs[v.txIndex].contractClassLogs[0].fields);
    expect(toHex(event.artifactHash)).toBe(v.artifactHash);
    expect(toHex(event.privateFunctionsRoot)).toBe(v.privateFunctionsRoot);
    expect(event.packedBytecode).toHaveLength(v.packedBytecodeLength);
    expect(`0x${createHash("sha256").update(event.packedBytecode).digest("hex")}`).toBe(v.packedBytecodeSha256);
    expect(toHex(publicBytecodeCommitment(core, event.packedBytecode))).toBe(v.publicBytecodeCommitment);
  });

  test.each(live.contractInstances)("the recorded contract instance $address is read from its log", (v) => {
    const txs = txsOf(v.checkpoint);
    const found = contractEvents(txs, core, V4.contracts).instances.find(({ tx }) => tx === v.txIndex)!;
    expect(toHex(found.address)).toBe(v.computedAddress);
    const event = V4.contracts.readInstancePublished(txs[v.txIndex].privateLogs[found.log]);
    expect(toHex(event.salt)).toBe(v.salt);
    expect(toHex(event.classId)).toBe(v.contractClassId);
    expect(toHex(event.initializationHash)).toBe(v.initializationHash);
    expect(toHex(event.publicKeys)).toBe(v.publicKeys);
    expect(toHex(event.deployer)).toBe(v.deployer);
  });
});

describe("invalid contract events on L1", () => {
  let follower: Follower | undefined;
  afterEach(() => follower?.close());

  test("invalid contract events on L1 register nothing, do not stop the sync, and are logged as one warning each", async () => {
    const l1 = new FakeL1(core);
    const logs = REFUSED.map(([, log]) => log);
    l1.propose([logs.length], { logs: [logs] });
    l1.propose([1], { logs: [[{ private: [instance.log], ...classLog(good.log.fields) }]] });
    follower = follow(l1, core);
    await follower.synchronizer.syncOnce();
    expect(follower.chain.latestBlockNumber()).toBe(2);
    const warnings = follower.logged("warn", /passed over an invalid contract event/);
    expect(warnings.map(({ facts }) => facts)).toEqual(
      REFUSED.map(([, , event, rule], tx) => ({
        block: 1,
        txIndex: tx,
        txHash: toHex(follower!.chain.txEffects(1)[tx].txHash),
        logIndex: 0,
        event,
        rule: expect.stringMatching(rule),
      })),
    );
    const content = new ContentStore(follower);
    expect(content.contractClass(good.id)?.blockNumber).toBe(2);
    expect(content.contractInstance(instance.address)?.blockNumber).toBe(2);
  });
});

/** Releases up to 4.3.1 stop at each of these (docs/protocol/14-releases.md#143-what-blocks-may-hold). */
describe("valid contents of blocks that stop other nodes", () => {
  let follower: Follower | undefined;
  afterEach(() => follower?.close());

  test("a public log without fields is stored, given back, and unwound", async () => {
    const l1 = new FakeL1(core);
    const empty = { contractAddress: seeded("emitter"), fields: new Uint8Array(0) };
    l1.propose([1], { logs: [[{ public: [empty] }]] });
    follower = follow(l1, core);
    await follower.synchronizer.syncOnce();
    expect(follower.chain.latestBlockNumber()).toBe(1);
    const found = () => new ContentStore(follower!).publicLogs({ fromBlock: 1, toBlock: 2, limit: 10 }).logs;
    const [log] = follower.chain.txEffects(1)[0].publicLogs;
    expect([toHex(log.contractAddress), log.fields.length]).toEqual([toHex(empty.contractAddress), 0]);
    expect(found()).toHaveLength(1);
    l1.reorg(1);
    l1.propose([1]);
    await settle(follower);
    expect(follower.chain.latestBlockNumber()).toBe(1);
    expect(found()).toEqual([]);
  });

  test("a protocol contract's class that is published again stays that of block 0, also after a reorg", async () => {
    const [{ classId, artifactHash, privateFunctionsRoot, packedBytecode }] = V4.contracts.protocolContracts;
    const fields = concat(
      ...[CLASS_PUBLISHED, classId, fr(1), artifactHash, privateFunctionsRoot, fr(packedBytecode.length)],
      packedBytecodeFields(packedBytecode),
    );
    const l1 = new FakeL1(core);
    l1.propose([1], { logs: [[classLog(fields)]] });
    follower = follow(l1, core);
    await follower.synchronizer.syncOnce();
    expect(follower.chain.latestBlockNumber()).toBe(1);
    const contractClass = () => new ContentStore(follower!).contractClass(classId);
    expect(contractClass()?.blockNumber).toBe(0);
    l1.reorg(1);
    l1.propose([1]);
    await settle(follower);
    expect(follower.chain.txEffects(1)[0].contractClassLogs).toEqual([]);
    expect(contractClass()?.blockNumber).toBe(0);
  });
});
