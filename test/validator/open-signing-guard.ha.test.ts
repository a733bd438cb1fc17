import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { toHex } from "../../src/protocol/bytes.ts";
import type { Logger } from "../../src/telemetry/logger.ts";
import { type HaGroup, openSigningGuard } from "../../src/validator/open-signing-guard.ts";
import { migrate } from "../../src/validator/signing/postgres/migrate.ts";
import { SignedDuties } from "../../src/validator/signing/signed-duties.ts";
import type { SigningGuard, SigningRequest } from "../../src/validator/signing/signing-guard.ts";
import { openSigningStore } from "../../src/validator/signing/signing-store.ts";
import { PostgresServer } from "../world/validator/postgres-server.ts";
import { attestation, ROLLUP, request, signedBy, signer, TIMES, within } from "../world/validator/requests.ts";

const clock = { now: 0 };
let server: PostgresServer;
let root: string;
let database: string;
let url: string;
let databases = 0;
let open: SigningGuard[];
let lines: string[];
/** How long a node waits for the signature of another one. */
let signingTimeoutMs: number;

const log = (facts: object, message: string) => lines.push(`${message} ${JSON.stringify(facts)}`);
const logger: Logger = { debug: log, info: log, warn: log, error: log };

beforeAll(async () => {
  server = await PostgresServer.create();
});

afterAll(() => server?.remove());

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "svc-ha-"));
  database = `group_${++databases}`;
  url = await server.createDatabase(database);
  await migrate(url, "up");
  open = [];
  lines = [];
  signingTimeoutMs = 500;
});

afterEach(async () => {
  await Promise.all(open.map((guard) => guard.close()));
  rmSync(root, { recursive: true });
  expect(lines.join("\n")).not.toContain(server.password);
});

async function openNode(nodeId: string, group: Partial<HaGroup> = {}, times = TIMES): Promise<SigningGuard> {
  const guard = await openSigningGuard({
    folder: join(root, nodeId),
    rollup: ROLLUP,
    times,
    now: () => clock.now,
    group: {
      databaseUrl: url,
      nodeId,
      pollingIntervalMs: 20,
      signingTimeoutMs,
      stuckAgeMs: 60_000,
      signedAgeHours: undefined,
      pool: { maxConnections: 10, minConnections: 0, idleTimeoutMs: 10_000, connectionTimeoutMs: 0 },
      ...group,
    },
    logger,
  });
  open.push(guard);
  return guard;
}

/** Nodes of the group that were started in slot 100, and the clock in slot 102. */
async function nodes<Ids extends string[]>(...ids: Ids): Promise<{ [I in keyof Ids]: SigningGuard }> {
  clock.now = within(100);
  const guards = await Promise.all(ids.map((id) => openNode(id)));
  clock.now = within(102);
  return guards as { [I in keyof Ids]: SigningGuard };
}

const rows = () => server.query("SELECT * FROM validator_duties ORDER BY slot, node_id", [], url);
const refusal = (reason: string, rule: string | RegExp = "") =>
  expect.objectContaining({ name: "SigningRefusedError", reason, rule: expect.stringMatching(rule) });

/** A request whose signer first does something. */
function slowly(one: SigningRequest, before: () => Promise<unknown>): SigningRequest {
  const local = one.signer;
  const signMessage = async (message: Uint8Array) => {
    await before();
    return local.signMessage(message);
  };
  return { ...one, signer: Object.assign(signer(), { signMessage }) };
}

test("a signed duty is a row in the form of the reference", async () => {
  const [a] = await nodes("a");
  const duty = { kind: "BLOCK_PROPOSAL", slot: 102, blockNumber: 7, indexWithinCheckpoint: 2 } as const;
  const one = request(duty, "text");
  const signature = await a.sign(one);
  expect(signedBy(signature, "text")).toBe(signer().address);
  expect(await rows()).toEqual([
    {
      rollup_address: ROLLUP,
      validator_address: signer().address,
      slot: "102",
      block_number: "7",
      block_index_within_checkpoint: 2,
      duty_type: "BLOCK_PROPOSAL",
      status: "signed",
      message_hash: toHex(one.message.kind === "digest" ? one.message.digest : new Uint8Array()),
      signature: toHex(signature),
      node_id: "a",
      lock_token: expect.stringMatching(/^[0-9a-f]{32}$/),
      started_at: expect.any(Date),
      completed_at: expect.any(Date),
      error_message: null,
    },
  ]);
});

test("duties without a block index have the index -1, and votes the block number 0", async () => {
  const [a] = await nodes("a");
  await a.sign(request({ kind: "GOVERNANCE_VOTE", slot: 102 }, "text"));
  expect(await rows()).toMatchObject([{ block_index_within_checkpoint: -1, block_number: "0" }]);
});

test("one node of a group signs a duty, and the other learns which one", async () => {
  const [a, b] = await nodes("a", "b");
  await a.sign(request(attestation(102), "text"));
  await expect(b.sign(request(attestation(102), "text"))).rejects.toEqual(
    refusal("signed elsewhere", /^a has signed it$/),
  );
  await expect(b.sign(request(attestation(102), "other"))).rejects.toEqual(
    refusal("other message", /^a signed another message, 0x[0-9a-f]{8}\.\. and not 0x[0-9a-f]{8}\.\.$/),
  );
});

test("many duties requested from all nodes at once are signed once each", async () => {
  signingTimeoutMs = 60_000;
  const [a, b, c] = await nodes("a", "b", "c");
  clock.now = within(101, 70);
  const keys = Array.from({ length: 20 }, (_, i) => signer(i + 1));
  const slots = [101, 102];
  const results = await Promise.all(
    [a, b, c].flatMap((guard, node) =>
      keys.flatMap((key) =>
        slots.map(async (slot) => {
          const text = `${node % 2}`;
          const signed = await guard.sign(request(attestation(slot), text, key)).then(
            () => true,
            () => false,
          );
          return signed ? `${key.address} ${slot}` : undefined;
        }),
      ),
    ),
  );
  const signed = results.filter((result) => result !== undefined);
  expect(signed).toHaveLength(keys.length * slots.length);
  expect(new Set(signed).size).toBe(signed.length);
  expect(lines.filter((line) => line.includes("high-availability database"))).toEqual([]);
});

test("a node waits for the signature of another one before it gives the duty up", async () => {
  signingTimeoutMs = 60_000;
  const [a, b] = await nodes("a", "b");
  const { promise: signing, resolve: begun } = Promise.withResolvers<void>();
  const { promise: pause, resolve: goOn } = Promise.withResolvers<void>();
  const slow = slowly(request(attestation(102), "text"), () => {
    begun();
    return pause;
  });
  const first = a.sign(slow);
  await signing;
  const second = b.sign(request(attestation(102), "text"));
  second.catch(() => {});
  await sleep(60);
  goOn();
  await first;
  await expect(second).rejects.toEqual(refusal("signed elsewhere", "a has signed it"));
});

test("a lock is not stolen: a node that waits for longer than the timeout refuses", async () => {
  const [a, b] = await nodes("a", "b");
  const slow = slowly(request(attestation(102), "text"), async () => {
    await expect(b.sign(request(attestation(102), "text"))).rejects.toEqual(
      refusal("signed elsewhere", "a holds its lock"),
    );
  });
  expect(await a.sign(slow)).toHaveLength(65);
});

test("when a signer fails, another node signs", async () => {
  const [a, b] = await nodes("a", "b");
  const failing = slowly(request(attestation(102), "text"), async () => {
    throw new Error("the signer is away");
  });
  await expect(a.sign(failing)).rejects.toThrow("the signer is away");
  expect(await b.sign(request(attestation(102), "other"))).toHaveLength(65);
  expect(await rows()).toMatchObject([{ node_id: "b", status: "signed" }]);
});

test("a signature whose lock was deleted meanwhile does not leave the guard", async () => {
  const [a, b] = await nodes("a", "b");
  let other: Promise<Uint8Array> | undefined;
  const slow = slowly(request(attestation(102), "text"), async () => {
    await server.query("DELETE FROM validator_duties", [], url);
    other = b.sign(request(attestation(102), "other"));
    await other;
  });
  await expect(a.sign(slow)).rejects.toEqual(refusal("lock lost"));
  expect(await other).toHaveLength(65);
  expect(await rows()).toMatchObject([{ node_id: "b", status: "signed" }]);
});

test("a database that lost rows cannot make a node sign again", async () => {
  const [a] = await nodes("a");
  await a.sign(request(attestation(101), "text"));
  await a.sign(request(attestation(102), "text"));
  await server.query("DELETE FROM validator_duties WHERE slot = 101", [], url);
  const lost = a.sign(request(attestation(101), "other"));
  await expect(lost).rejects.toEqual(refusal("other message", "another message is on record"));
  // The refusal does not wait for the release of the lock.
  await expect.poll(rows).toHaveLength(1);
  await server.query("DELETE FROM validator_duties", [], url);
  await expect(a.sign(request(attestation(102), "other"))).rejects.toEqual(refusal("unknown past"));
});

async function stop(...guards: SigningGuard[]): Promise<void> {
  open = open.filter((guard) => !guards.includes(guard));
  await Promise.all(guards.map((guard) => guard.close()));
}

/**
 * The rows of the table now, to be put back by the returned function, in one of the ways in which a dump is restored.
 */
async function dump(): Promise<(emptying: string) => Promise<void>> {
  const kept = (await rows()).map((row) => JSON.stringify(row));
  return async (emptying) => {
    await server.query(emptying, [], url);
    for (const row of kept) {
      await server.query(
        "INSERT INTO validator_duties SELECT * FROM json_populate_record(NULL::validator_duties, $1)",
        [row],
        url,
      );
    }
  };
}

const EMPTYINGS = ["DELETE FROM validator_duties", "TRUNCATE validator_duties"];

test.each(EMPTYINGS)(
  "after a restore with all nodes stopped (%s), nobody signs in a slot in which a lost row may have been",
  async (emptying) => {
    const [a, b] = await nodes("a", "b");
    await b.sign(request(attestation(101), "text"));
    const restore = await dump();
    await a.sign(request(attestation(102), "text"));
    await stop(a, b);
    await restore(emptying);
    clock.now = within(102, 40);
    const [again, other] = [await openNode("a"), await openNode("b")];
    await expect(other.sign(request(attestation(102), "other"))).rejects.toEqual(
      refusal("unknown past", "signing begins after slot 102"),
    );
    await expect(again.sign(request(attestation(102), "other"))).rejects.toEqual(refusal("unknown past"));
    clock.now = within(103);
    expect(await other.sign(request(attestation(103), "text"))).toHaveLength(65);
  },
);

test("after folder and database were restored together, a node signs nothing that it may have signed", async () => {
  const [a] = await nodes("a");
  await a.sign(request(attestation(101), "text"));
  await stop(a);
  cpSync(join(root, "a"), join(root, "backup"), { recursive: true });
  const restore = await dump();
  clock.now = within(102);
  const later = await openNode("a");
  clock.now = within(103, 65);
  await later.sign(request(attestation(103), "text"));
  // 5 s before its slot, which is as early as a signature can be.
  await later.sign(request({ kind: "CHECKPOINT_PROPOSAL", slot: 104 }, "text"));
  await stop(later);
  await restore("DELETE FROM validator_duties");
  rmSync(join(root, "a"), { recursive: true });
  cpSync(join(root, "backup"), join(root, "a"), { recursive: true });
  const restored = await openNode("a");
  await expect(restored.sign(request(attestation(103), "other"))).rejects.toEqual(refusal("unknown past"));
  const proposal = request({ kind: "CHECKPOINT_PROPOSAL", slot: 104 }, "other");
  await expect(restored.sign(proposal)).rejects.toEqual(refusal("unknown past"));
  clock.now = within(104);
  await expect(restored.sign(proposal)).rejects.toEqual(refusal("unknown past"));
  clock.now = within(105);
  expect(await restored.sign(request(attestation(105), "text"))).toHaveLength(65);
});

test.each(EMPTYINGS)("a running node notices that the table was filled anew (%s)", async (emptying) => {
  const [a, b] = await nodes("a", "b");
  await b.sign(request(attestation(101), "text"));
  const restore = await dump();
  await a.sign(request(attestation(102), "text"));
  await restore(emptying);
  await expect(b.sign(request(attestation(102), "other"))).rejects.toEqual(refusal("unknown past"));
  expect(lines.filter((line) => line.includes("database")).at(-1)).toMatch(/no duty is signed up to slot/);
  clock.now = within(103);
  expect(await b.sign(request(attestation(103), "text"))).toHaveLength(65);
});

test("a message that the record has is not signed again where another node may have signed another one", async () => {
  const [a, b] = await nodes("a", "b");
  const lost = slowly(request(attestation(102), "text"), async () => {
    await server.query("DELETE FROM validator_duties", [], url);
    await b.sign(request(attestation(102), "other"));
  });
  await expect(a.sign(lost)).rejects.toEqual(refusal("lock lost"));
  await stop(a);
  await server.query("DELETE FROM validator_duties", [], url);
  const again = await openNode("a");
  await expect(again.sign(request(attestation(102), "text"))).rejects.toEqual(refusal("unknown past"));
});

test("what another node signed is on record, and no other message is signed when its row is gone", async () => {
  const [a, b] = await nodes("a", "b");
  await a.sign(request(attestation(102), "text"));
  await expect(b.sign(request(attestation(102), "other"))).rejects.toEqual(refusal("other message", "^a signed"));
  await stop(b);
  const store = openSigningStore(join(root, "b"));
  const claim = { validator: signer().address, duty: attestation(102), hash: new Uint8Array(32), knownUpTo: -1 };
  expect(new SignedDuties(store, ROLLUP).claim([claim])).toMatchObject([{ kind: "other" }]);
  await store.close();
});

test("while a node that was started again waits for its first slot, the other node of the pair signs", async () => {
  const [a, b] = await nodes("a", "b");
  await stop(a);
  const again = await openNode("a");
  const both = await Promise.allSettled([again, b].map((guard) => guard.sign(request(attestation(102), "text"))));
  expect(both).toMatchObject([{ status: "rejected", reason: { reason: "unknown past" } }, { status: "fulfilled" }]);
  expect(await rows()).toMatchObject([{ node_id: "b", status: "signed" }]);
});

test("nothing new is signed up to the slot in which the table is found to be another one", async () => {
  const [a] = await nodes("a");
  await a.sign(request(attestation(102), "text"));
  await migrate(url, "down");
  await migrate(url, "up");
  const other = request(attestation(102), "text", signer(2));
  await expect(a.sign(other)).rejects.toEqual(refusal("unknown past", "signing begins after slot 102"));
  expect(lines.filter((line) => line.includes("may lack rows"))).toHaveLength(1);
  clock.now = within(103);
  expect(await a.sign(request(attestation(103), "text"))).toHaveLength(65);
});

test("a server that is restarted or crashes keeps what was signed, and nodes go on in the next slot", async () => {
  const [a, b] = await nodes("a", "b");
  for (const [i, signal] of (["SIGINT", "SIGQUIT", "SIGKILL"] as const).entries()) {
    const slot = 102 + i;
    clock.now = within(slot);
    await a.sign(request(attestation(slot), "text"));
    await server.restart(signal);
    await expect(b.sign(request(attestation(slot), "other"))).rejects.toEqual(refusal("other message"));
    // It may as well have been started with restored files, without the row of another duty.
    for (const guard of [a, b]) {
      const another = request(attestation(slot), "text", signer(2));
      await expect(guard.sign(another)).rejects.toEqual(refusal("unknown past"));
    }
    expect((await rows()).map((row) => row.slot)).toContain(String(slot));
  }
});

test("a server that was restarted costs the slots of that time, not those of the next duty", async () => {
  clock.now = within(100);
  const times = { ...TIMES, ethereumSlotDuration: 0.02 };
  const a = await openNode("a", {}, times);
  clock.now = within(102);
  await server.restart();
  await expect.poll(() => lines.filter((line) => line.includes("may lack rows"))).toHaveLength(1);
  clock.now = within(103);
  expect(await a.sign(request(attestation(103), "text"))).toHaveLength(65);
});

/** Forwards connections on its port to a server, and to another one from a call of `switchTo` on. */
async function forwarder(to: number): Promise<{ port: number; switchTo(port: number): void; close(): void }> {
  const sockets = new Set<Socket>();
  const add = (socket: Socket) => sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  let target = to;
  const listener = createServer((from) => {
    const onward = connect(target, "127.0.0.1");
    add(from);
    add(onward);
    from.pipe(onward).pipe(from);
    from.on("close", () => onward.destroy());
    onward.on("close", () => from.destroy());
  });
  await new Promise<void>((listening) => listener.listen(0, "127.0.0.1", listening));
  const address = listener.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    switchTo(port) {
      target = port;
      endAll();
    },
    close() {
      endAll();
      listener.close();
    },
  };
}

test.each([
  ["a standby that lagged took over", true],
  ["a server was restored from a backup", false],
])("when %s, no node signs what another one may have signed before", async (_, promoted) => {
  const proxy = await forwarder(server.port);
  let other: PostgresServer | undefined;
  try {
    const databaseUrl = url.replace(`:${server.port}/`, `:${proxy.port}/`);
    clock.now = within(100);
    const [a, b] = [await openNode("a", { databaseUrl }), await openNode("b", { databaseUrl })];
    clock.now = within(102);
    other = await server.copy(promoted);
    const keys = Array.from({ length: 100 }, (_, i) => signer(i));
    await Promise.all(keys.map((key) => a.sign(request(attestation(102), "text", key))));
    proxy.switchTo(other.port);
    const again = request(attestation(102), "other", keys[0]);
    await expect(b.sign(again)).rejects.toEqual(refusal("unknown past"));
    await expect(a.sign(again)).rejects.toEqual(refusal("unknown past"));
    expect(lines.filter((line) => line.includes("may lack rows")).length).toBeGreaterThan(0);
    clock.now = within(103);
    expect(await b.sign(request(attestation(103), "text", keys[0]))).toHaveLength(65);
  } finally {
    await stop(...open);
    proxy.close();
    await other?.remove();
  }
});

test("a duty whose statement waits too long is refused, and its late execution gives it to no node", async () => {
  const [a, b] = await nodes("a", "b");
  // The slot is over when the statement fails.
  clock.now = within(102, TIMES.slotDuration - 2);
  const blocker = new Client({ connectionString: url });
  await blocker.connect();
  try {
    await blocker.query("BEGIN; LOCK TABLE validator_duties IN ACCESS EXCLUSIVE MODE");
    await expect(a.sign(request(attestation(102), "text"))).rejects.toEqual(
      refusal("database", "no answer within 5 s"),
    );
  } finally {
    await blocker.end();
  }
  const second = await b.sign(request(attestation(102), "other")).then(
    () => true,
    () => false,
  );
  const signed = (await rows()).filter(({ status }) => status === "signed");
  expect(signed.map(({ node_id }) => node_id)).toEqual(second ? ["b"] : []);
});

/** Runs `work` while the server is away, and starts the server at the end if `work` did not. */
async function whileAway(work: () => Promise<void>): Promise<void> {
  await server.stop();
  try {
    await work();
  } finally {
    if ((await rows().catch(() => undefined)) === undefined) await server.start();
  }
}

/** Longer than the timeout for another node's signature. */
const LONG_MS = 1_500;

test("while the server is away nothing is signed, and a duty is refused when its slot is over", async () => {
  const [a] = await nodes("a");
  clock.now = within(102, TIMES.slotDuration - 0.1);
  await whileAway(async () => {
    await expect(a.sign(request(attestation(102), "text"))).rejects.toEqual(
      refusal("database", /^high-availability database: [^\n]+$/),
    );
  });
});

test("a server out of reach for longer than the timeout that is back within the slot is in time", async () => {
  const proxy = await forwarder(server.port);
  try {
    const databaseUrl = url.replace(`:${server.port}/`, `:${proxy.port}/`);
    clock.now = within(100);
    const guards = [await openNode("a", { databaseUrl }), await openNode("b", { databaseUrl })];
    clock.now = within(102);
    proxy.switchTo(1);
    const waiting = guards.map((guard, i) => guard.sign(request(attestation(102), `${i}`)));
    const settled = Promise.allSettled(waiting);
    await sleep(LONG_MS);
    proxy.switchTo(server.port);
    expect((await settled).map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await rows()).toMatchObject([{ status: "signed" }]);
  } finally {
    await stop(...open);
    proxy.close();
  }
});

test("a signature leaves the guard when the server returns that went away while it was made", async () => {
  const [a] = await nodes("a");
  const { promise: stopped, resolve: end } = Promise.withResolvers<void>();
  const slow = slowly(request(attestation(102), "text"), () => server.stop().then(end));
  const waiting = a.sign(slow);
  waiting.catch(() => {});
  await stopped;
  await sleep(LONG_MS);
  await server.start();
  expect(await waiting).toHaveLength(65);
  expect(await rows()).toMatchObject([{ status: "signed" }]);
});

test("a node that waits for the database can be stopped", async () => {
  const [a] = await nodes("a");
  await whileAway(async () => {
    const waiting = a.sign(request(attestation(102), "text"));
    const ended = expect(waiting).rejects.toEqual(refusal("database"));
    await sleep(100);
    await a.close();
    open = [];
    await ended;
  });
});

test("a server that takes connections and never answers is given up after the timeout", async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
  const address = silent.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  try {
    const databaseUrl = `postgresql://user:${encodeURIComponent(server.password)}@127.0.0.1:${port}/x`;
    await expect(openNode("a", { databaseUrl })).rejects.toThrow(/^high-availability database: no answer within 5 s$/);
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});

test("a node that waits for another one stops at once when it is aborted", async () => {
  signingTimeoutMs = 60_000;
  const [a, b] = await nodes("a", "b");
  const slow = slowly(request(attestation(102), "text"), async () => {
    const second = b.sign(request(attestation(102), "text"), AbortSignal.timeout(50));
    await expect(second).rejects.toMatchObject({ name: "TimeoutError" });
  });
  expect(await a.sign(slow)).toHaveLength(65);
});

test("an aborted request signs nothing and leaves no lock", async () => {
  signingTimeoutMs = 60_000;
  const [a, b] = await nodes("a", "b");
  const abort = new AbortController();
  const waiting = slowly(request(attestation(102), "text"), async () => {
    const second = b.sign(request(attestation(102), "text"), abort.signal);
    abort.abort(new Error("the slot is over"));
    await expect(second).rejects.toThrow("the slot is over");
  });
  await a.sign(waiting);
  expect(await rows()).toHaveLength(1);
});

test.each([
  [
    "tables are missing",
    async () => migrate(url, "down"),
    "it has no tables; run `svc migrate-ha-db up --database-url <url>` first",
  ],
  [
    "the schema version is missing",
    async () => server.query("DELETE FROM schema_version", [], url),
    "its tables have no schema version; run `svc migrate-ha-db up --database-url <url>` first",
  ],
  [
    "the schema is older",
    async () => server.query("UPDATE schema_version SET version = 0", [], url),
    "its schema version 0 is outdated; run `svc migrate-ha-db up --database-url <url>` first",
  ],
  [
    "the schema is newer",
    async () => server.query("UPDATE schema_version SET version = 2", [], url),
    "its schema version 2 is newer than 1, which this program knows",
  ],
])("a node does not start when %s", async (_, prepare, rule) => {
  await prepare();
  await expect(openNode("a")).rejects.toThrow(`high-availability database: ${rule}`);
});

test.each([
  ["the password is wrong", (good: string) => good.replace(/:[^:@]+@/, ":wr%3Aong-word@"), "it refuses the password"],
  ["the database does not exist", (good: string) => good.replace(/[^/]+$/, "nowhere"), "no database of that name"],
  ["nobody listens", (good: string) => good.replace(/:\d+\//, ":1/"), "nobody listens at its address"],
])("a node does not start when %s, and the error has no password", async (_, change, rule) => {
  const error = await openNode("a", { databaseUrl: change(url) }).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain(rule);
  expect(String(error)).not.toMatch(/wr.{1,3}ong-word|sec.{1,3}ret/);
});

test("a user with rights to the tables alone can sign, and one without is refused in one line", async () => {
  await server.query(`CREATE ROLE signer_${databases} LOGIN PASSWORD '${server.password}'`);
  const databaseUrl = server.url(database, `signer_${databases}`);
  await expect(openNode("a", { databaseUrl })).rejects.toThrow("this user has no rights to its tables");
  await server.query(
    `GRANT SELECT ON schema_version TO signer_${databases};
     GRANT SELECT, INSERT, UPDATE, DELETE ON validator_duties TO signer_${databases}`,
    [],
    url,
  );
  clock.now = within(100);
  const a = await openNode("a", { databaseUrl });
  clock.now = within(102);
  expect(await a.sign(request(attestation(102), "text"))).toHaveLength(65);
});

test("a read-only server signs nothing", async () => {
  const [a] = await nodes("a");
  await server.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
  await server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [database]);
  clock.now = within(102, TIMES.slotDuration - 0.1);
  await expect(a.sign(request(attestation(102), "text"))).rejects.toEqual(
    refusal("database", "the server is read-only, as a standby is"),
  );
});

test("a start deletes this node's old locks, old duties of other rollups and, if asked, old signatures", async () => {
  const insert = (rollup: string, slot: number, status: string, node: string, age: string) =>
    server.query(
      `INSERT INTO validator_duties (rollup_address, validator_address, slot, block_number, duty_type, status,
         message_hash, node_id, lock_token, started_at)
       VALUES ($1, 'v', $2, 0, 'ATTESTATION', $3, 'h', $4, 't', CURRENT_TIMESTAMP - $5::interval)`,
      [rollup, slot, status, node, age],
      url,
    );
  const other = `0x${"cd".repeat(20)}`;
  await insert(ROLLUP, 1, "signing", "a", "2 minutes");
  await insert(ROLLUP, 2, "signing", "a", "10 seconds");
  await insert(ROLLUP, 3, "signing", "b", "2 minutes");
  await insert(ROLLUP, 4, "signed", "b", "3 hours");
  await insert(ROLLUP, 5, "signed", "b", "1 hour");
  await insert(other, 6, "signed", "c", "25 hours");
  await insert(other, 7, "signing", "c", "23 hours");
  clock.now = within(100);
  const a = await openNode("a", { signedAgeHours: 2 });
  await a.close();
  open = [];
  expect((await rows()).map(({ slot }) => Number(slot))).toEqual([2, 3, 5, 7]);
});
