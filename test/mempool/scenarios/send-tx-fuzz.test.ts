import { expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { TxPool } from "../../../src/mempool/pool/tx-pool.ts";
import { ACCEPT_ANY_PROOF } from "../../../src/mempool/proofs/proof-verifier.ts";
import { TxIntake } from "../../../src/mempool/tx-intake.ts";
import { runChecks } from "../../../src/mempool/validation/check-groups.ts";
import { mempoolService } from "../../../src/node/services/mempool-services.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { Random } from "../../support/random.ts";
import { contextFor } from "../../world/mempool/context.ts";
import { freshTx, txJson } from "../../world/mempool/fresh-txs.ts";
import { MemoryStore } from "../../world/mempool/memory-store.ts";
import { ModelWorld } from "../../world/mempool/model-world.ts";
import { digestTx, RPC_CHECKS, txFacts } from "../../world/mempool/v4-digests.ts";
import { recordedTxs } from "../../world/protocol/recorded-txs.ts";
import { asker } from "../../world/rpc/ask.ts";
import { MUTATIONS } from "./tx-mutations.ts";

/** SVC_TX_FUZZ_CASES=50000 runs the long form. */
const CASES = Number(process.env.SVC_TX_FUZZ_CASES ?? 150);
const SEED = Number(process.env.SVC_TX_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 32));
const MAX_PENDING = 20;
/** Time limit of one case on a busy machine; the largest calldata takes some tenths of a second. */
const LIMIT_MS = 20_000;
const GROWTH_LIMIT_MIB = 200;
const PROGRESS_CASES = 5_000;
/** A full pool asks for higher and higher fees, so that in the end no tx would enter. */
const EMPTIED_AFTER = 400;

const core = loadCore();
const recorded = recordedTxs();
const names = Object.keys(MUTATIONS);

/** A node's path from JSON to the pool, over a state in which everything except the tx itself is valid. */
function setUp() {
  const world = new ModelWorld(new Map());
  world.admission = () => () => true;
  world.feeJuice = () => 10n ** 60n;
  const store = new MemoryStore();
  const pool = new TxPool(store, world, { rules: V4, maxPending: MAX_PENDING, archived: 0, deleteAfterReorg: false });
  const validator = {
    fromClient: async (tx: Tx) => {
      const facts = txFacts(tx, digestTx(core, tx));
      const context = contextFor(tx, { target: { timestamp: 1n, blockNumber: 13 } });
      const verdict = runChecks(RPC_CHECKS, facts, context);
      if (verdict.result === "valid") await ACCEPT_ANY_PROOF.verify(tx);
      return { facts, verdict };
    },
  };
  const intake = new TxIntake({ validator, pool, chain: world, priceBumpPercentage: 10n });
  return { pool, store, rpc: asker({ mempool: mempoolService({ pool, intake, synced: () => true }) }) };
}

test(`each of ${CASES} mutated transactions is accepted or refused, with an answer`, {
  timeout: 7_200_000,
}, async () => {
  process.stderr.write(`tx fuzz seed ${SEED}: SVC_TX_FUZZ_SEED=${SEED} repeats the cases\n`);
  const { pool, store, rpc } = setUp();
  const random = new Random(SEED);
  const answers = new Map<string, number>();
  let before = 0;
  for (let i = 0; i < CASES; i++) {
    if (i === Math.floor(CASES / 10)) before = process.memoryUsage().rss;
    const source = recorded[random.below(recorded.length)];
    const { json } = random.chance(0.5)
      ? source
      : txJson(
          core,
          freshTx(source, { nullifier: `fuzz ${random.below(1_000)}`, priorityFee: BigInt(random.below(1_000)) }),
        );
    const tx = structuredClone(json);
    const applied = Array.from({ length: 1 + random.below(2) }, () => names[random.below(names.length)]);
    for (const name of applied) {
      // An earlier mutation may have left too little of a tx to mutate.
      if (typeof tx.data === "string" && Buffer.from(tx.data, "base64").length > 38_556) MUTATIONS[name](tx, random);
    }
    const where = `seed ${SEED} case ${i} (${applied.join(", ")})`;
    const started = Date.now();
    const { body } = await rpc.respond("node_sendTx", [tx]);
    expect(Date.now() - started, where).toBeLessThan(LIMIT_MS);
    if (body.error === undefined) expect(body, where).toEqual({ id: 1, result: null });
    else {
      expect([-32701, -32702], `${where}: ${body.error.message}`).toContain(body.error.code);
      expect(body.error.message.length, where).toBeGreaterThan(0);
      expect(body.error.message.length, where).toBeLessThan(100_000);
    }
    const kind =
      body.error === undefined ? "accepted" : body.error.message.replace(/0x[0-9a-f]+|\d+/g, "#").slice(0, 60);
    answers.set(kind, (answers.get(kind) ?? 0) + 1);
    expect(pool.pendingCount).toBeLessThanOrEqual(MAX_PENDING);
    if (i % 50 === 0) pool.slotStarted(i + 1);
    if (i % EMPTIED_AFTER === EMPTIED_AFTER - 1) pool.remove(pool.pendingHashes(MAX_PENDING));
    if (i > 0 && i % PROGRESS_CASES === 0) {
      process.stderr.write(`tx fuzz: ${i} cases, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB resident\n`);
    }
  }
  expect(rpc.log.entries.filter(({ level }) => level === "error")).toEqual([]);
  pool.slotStarted(CASES + 2);
  expect(store.size("pool-txs")).toBe(pool.pendingCount);
  for (const hash of pool.pendingHashes(MAX_PENDING)) {
    const tx = pool.get(hash);
    expect(tx && toHex(digestTx(core, tx).hash)).toBe(toHex(hash));
  }
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  const kinds = [...answers].sort((a, b) => b[1] - a[1]);
  process.stderr.write(
    `tx fuzz: ${CASES} cases, ${kinds.length} kinds of answers, memory grew by ${Math.round(grown)} MiB\n`,
  );
  process.stderr.write(
    `${kinds
      .slice(0, 12)
      .map(([kind, count]) => `${count} ${kind}`)
      .join("\n")}\n`,
  );
  expect(answers.get("accepted") ?? 0).toBeGreaterThan(CASES / 50);
  expect(kinds.length).toBeGreaterThan(10);
  expect(grown).toBeLessThan(GROWTH_LIMIT_MIB);
});

test.each(["node", "svc"])(
  "%s_sendTx on a full disk is answered with 503, and the tx is taken once there is room",
  async (namespace) => {
    const { pool, store, rpc } = setUp();
    const [{ json }] = recorded;
    store.free = 0;
    const message = "The pool cannot store the transaction: the disk is full. Try again later";
    const refused = await rpc.respond(`${namespace}_sendTx`, [json]);
    expect(refused).toMatchObject({ status: 503, body: { error: { code: -32005, message } } });
    expect(pool.pendingCount).toBe(0);
    store.free = 2 ** 40;
    expect(await rpc.respond(`${namespace}_sendTx`, [json])).toMatchObject({ status: 200 });
    expect(pool.pendingCount).toBe(1);
  },
);
