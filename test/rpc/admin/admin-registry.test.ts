import { describe, expect, test } from "vitest";
import { RollbackRefusedError } from "../../../src/archiver/roll-back.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { Offense } from "../../../src/protocol/slashing/offense.ts";
import { adminRegistry } from "../../../src/rpc/admin/admin-registry.ts";
import type { Slasher } from "../../../src/rpc/admin/ports/slasher.ts";
import { ExecutionError } from "../../../src/rpc/jsonrpc/errors.ts";
import { adminCalls } from "../../world/rpc/admin-calls.ts";

const VOID = { jsonrpc: "2.0", id: 1, result: null };
const NAMESPACES = ["svcAdmin", "nodeAdmin"] as const;
const refusal = (code: number, message: string) => ({ jsonrpc: "2.0", id: 1, error: { code, message } });

test("svcAdmin and nodeAdmin have exactly their own methods", () => {
  const registry = adminRegistry(adminCalls().services, V4.api);
  const names = (namespace: "svcAdmin" | "nodeAdmin") =>
    registry
      .in(namespace)
      .map(({ name }) => name)
      .sort();
  expect(names("svcAdmin")).toEqual(
    [
      ...["getConfig", "setConfig", "pauseSync", "resumeSync", "pauseSequencer", "resumeSequencer", "rollbackTo"],
      ...["startSnapshotUpload", "getSlashOffenses", "reloadKeystore", "getDutyTimes"],
      ...["dumpState", "loadState", "snapshot", "revert", "reset", "mineBlock"],
      ...["setNextBlockTimestamp", "advanceNextBlockTimestampBy"],
      ...["getSnapshots", "getAccounts", "giveEther", "depositFeeJuice"],
      ...["getAttesters", "getConnectedPeers", "getHealth", "getLogLines", "getMetrics", "getMissedDuties"],
      ...["getOptions", "getPendingTxSummaries"],
    ].sort(),
  );
  expect(names("nodeAdmin")).toEqual(
    [
      ...["getConfig", "setConfig", "pauseSync", "resumeSync", "rollbackTo", "startSnapshotUpload"],
      ...["getSlashPayloads", "getSlashOffenses", "reloadKeystore"],
    ].sort(),
  );
});

test("methods of a local network are refused on other nodes, and do not exist there under anvil's names", async () => {
  const { call } = adminCalls();
  expect((await call("svcAdmin_mineBlock")).answer).toEqual(
    refusal(-32702, "This node is not that of a local network"),
  );
  expect((await call("evm_mine")).answer).toMatchObject({ error: { code: -32601 } });
});

describe.each(NAMESPACES)("namespace %s", (namespace) => {
  test.each([
    ["pauseSync", "pause"],
    ["resumeSync", "resume"],
    ["reloadKeystore", "reload"],
  ])("%s has the result null", async (method, noted) => {
    const { call, done } = adminCalls();
    expect((await call(`${namespace}_${method}`)).answer).toEqual(VOID);
    expect(done).toEqual([[noted]]);
  });

  test("startSnapshotUpload returns once the upload has started, or says why it cannot start", async () => {
    const started: string[] = [];
    const { call } = adminCalls({
      snapshots: {
        startUpload(location) {
          if (location === "busy") throw new ExecutionError("Snapshot upload already in progress.");
          started.push(location);
        },
      },
    });
    const method = `${namespace}_startSnapshotUpload`;
    expect((await call(method, ["file:///snapshots"])).answer).toEqual(VOID);
    expect(started).toEqual(["file:///snapshots"]);
    expect((await call(method, ["busy"])).answer.error?.code).toBe(-32702);
    expect((await call(method, [7])).answer).toEqual(refusal(-32701, "Expected string, received number (0)"));
    expect((await adminCalls().call(method, ["file:///x"])).answer).toEqual(
      refusal(-32702, "Archiver implementation does not support backups. Cannot generate snapshot."),
    );
  });

  test("getSlashOffenses takes a round number, all or current", async () => {
    const asked: unknown[] = [];
    const offense: Offense = { validator: new Uint8Array(20).fill(0xd9), amount: 10n, offenseType: 3, epochOrSlot: 7n };
    const slasher: Slasher = {
      offenses: async (round) => {
        asked.push(round);
        return [offense];
      },
      payloads: async () => [],
    };
    const { call } = adminCalls({ slasher });
    for (const round of ["all", "current", 5, "5"]) {
      expect((await call(`${namespace}_getSlashOffenses`, [round])).answer.result).toEqual([
        { validator: `0x${"d9".repeat(20)}`, amount: "10", offenseType: 3, epochOrSlot: "7" },
      ]);
    }
    expect(asked).toEqual(["all", "current", 5n, 5n]);
    for (const round of ["none", -1, 1.5, null, {}]) {
      expect((await call(`${namespace}_getSlashOffenses`, [round])).answer).toEqual(
        refusal(-32701, "Invalid input (0)"),
      );
    }
  });

  test("getSlashOffenses without a slasher gives an error that says so", async () => {
    const { status, answer } = await adminCalls().call(`${namespace}_getSlashOffenses`, ["all"]);
    expect([status, answer]).toEqual([400, refusal(-32702, "Slasher client not enabled")]);
  });

  test("rollbackTo answers a refused rollback with its reason", async () => {
    const { call } = adminCalls({
      sync: {
        pause: async () => {},
        resume: () => {},
        rollBackTo: async (block) => {
          throw new RollbackRefusedError(block, `Target L2 block ${block} not found`);
        },
      },
    });
    expect((await call(`${namespace}_rollbackTo`, [3])).answer).toEqual(refusal(-32702, "Target L2 block 3 not found"));
  });
});

test("svcAdmin_rollbackTo takes force and resumeSync", async () => {
  const { call, done } = adminCalls();
  for (const params of [[4], [4, true], [4, null, false], ["4", false, true]]) {
    expect((await call("svcAdmin_rollbackTo", params)).answer).toEqual(VOID);
  }
  expect(done).toEqual([
    ["rollBackTo", 4, { force: false, resumeSync: true }],
    ["rollBackTo", 4, { force: true, resumeSync: true }],
    ["rollBackTo", 4, { force: false, resumeSync: false }],
    ["rollBackTo", 4, { force: false, resumeSync: true }],
  ]);
  expect((await call("svcAdmin_rollbackTo", [1, false, true, 0])).answer.error?.code).toBe(-32701);
  expect((await call("svcAdmin_rollbackTo", [1, "yes"])).answer).toEqual(
    refusal(-32701, "Expected boolean, received string (1)"),
  );
  expect((await call("svcAdmin_rollbackTo", [-1])).answer.error?.code).toBe(-32701);
});

test("nodeAdmin_rollbackTo takes the target, tolerates a second parameter and always resumes", async () => {
  const { call, done } = adminCalls();
  for (const params of [[4], [4, true], [4, "yes"], [-1, true, false]]) {
    expect((await call("nodeAdmin_rollbackTo", params)).answer).toEqual(VOID);
  }
  expect(done).toEqual([
    ["rollBackTo", 4, { force: false, resumeSync: true }],
    ["rollBackTo", 4, { force: true, resumeSync: true }],
    ["rollBackTo", 4, { force: false, resumeSync: true }],
    ["rollBackTo", -1, { force: true, resumeSync: true }],
  ]);
  expect((await call("nodeAdmin_rollbackTo", ["4"])).answer).toEqual(
    refusal(-32701, "Expected number, received string (0)"),
  );
});

test("svcAdmin pauses and resumes a running sequencer; nodeAdmin has no such method", async () => {
  const none = adminCalls();
  expect((await none.call("svcAdmin_pauseSequencer")).answer).toEqual(
    refusal(-32702, "Cannot pause sequencer: no sequencer is running"),
  );
  expect((await none.call("svcAdmin_resumeSequencer")).answer).toEqual(
    refusal(-32702, "Cannot resume sequencer: no sequencer is running"),
  );
  expect((await none.call("nodeAdmin_pauseSequencer")).answer.error?.code).toBe(-32601);
  const done: string[] = [];
  const { call } = adminCalls({
    sequencer: { pause: () => void done.push("pause"), resume: () => void done.push("resume") },
  });
  expect((await call("svcAdmin_pauseSequencer")).answer).toEqual(VOID);
  expect((await call("svcAdmin_resumeSequencer")).answer).toEqual(VOID);
  expect(done).toEqual(["pause", "resume"]);
});

test("nodeAdmin_getSlashPayloads writes amounts as text", async () => {
  const { call } = adminCalls({
    slasher: {
      offenses: async () => [],
      payloads: async () => [
        {
          address: new Uint8Array(20).fill(1),
          slashes: [
            {
              validator: new Uint8Array(20).fill(2),
              amount: 10n ** 19n,
              offenses: [{ epochOrSlot: 4n, offenseType: 1 }],
            },
          ],
          timestamp: 9n,
          votes: 2n,
          round: 3n,
        },
      ],
    },
  });
  expect((await call("nodeAdmin_getSlashPayloads")).answer.result).toEqual([
    {
      address: `0x${"01".repeat(20)}`,
      slashes: [
        {
          validator: `0x${"02".repeat(20)}`,
          amount: "10000000000000000000",
          offenses: [{ epochOrSlot: "4", offenseType: 1 }],
        },
      ],
      timestamp: "9",
      votes: "2",
      round: "3",
    },
  ]);
  expect((await call("svcAdmin_getSlashPayloads")).answer.error?.code).toBe(-32601);
  expect((await adminCalls().call("nodeAdmin_getSlashPayloads")).answer).toEqual(
    refusal(-32702, "Slasher client not enabled"),
  );
});
