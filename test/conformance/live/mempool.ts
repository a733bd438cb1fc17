/**
 * Compares answers of this node and of a running reference network about transactions that a wallet sends:
 *
 *   node test/conformance/live/mempool.ts --reference URL --l1 URL
 *     [--listen PORT] [--txs N] [--idle SECONDS] [--broken]
 *
 * Starts a node that follows the same L1, and a proxy in front of the reference, to which wallets must send. Asks about
 * each transaction before it is passed on, while it is pending, and once it is in a block. Ends with a report after N
 * transactions, or SECONDS without one; exits with 1 if an answer differs in a way that docs/deviations.md does not
 * list.
 */
import { parseArgs } from "node:util";
import { txHash } from "../../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { NodeProcess } from "../../world/node/recorded-node.ts";
import { Comparison, type KnownDifference } from "./differences.ts";
import { NodeClient } from "./node-client.ts";
import { sendingProxy } from "./sending-proxy.ts";
import { BROKEN_VARIANTS, INVALID_VARIANTS } from "./tx-variants.ts";

type Json = Record<string, unknown>;

const KNOWN: readonly KnownDifference[] = [
  {
    method: "node_isValidTx",
    what: "log of 17 fields",
    pointer: "/result",
    why: "a log longer than its fields is no valid tx here",
  },
];
/** Number of txs whose variants are compared too. */
const VARIED_TXS = 4;
const MINED_LIMIT_MS = 180_000;

const { values } = parseArgs({
  options: {
    reference: { type: "string" },
    l1: { type: "string" },
    listen: { type: "string", default: "18090" },
    txs: { type: "string", default: "1000" },
    idle: { type: "string", default: "90" },
    broken: { type: "boolean", default: false },
  },
});
if (values.reference === undefined || values.l1 === undefined) {
  process.stderr.write("--reference and --l1 are needed: the URLs of the reference's RPC and of its L1\n");
  process.exit(2);
}
const core = loadCore();
const reference = new NodeClient(values.reference);
const node = await NodeProcess.start({ anvil: { url: values.l1 }, chain: { blobStore: "" } });
const own = new NodeClient(node.url);
const comparison = new Comparison({ reference, own }, KNOWN);
const compare = (what: string, method: string, ...params: unknown[]) => comparison.compare(what, { method, params });
/** Asks this node over svc_, which has an option for the proof. */
const compareWithProof = (what: string, name: string, ...params: unknown[]) =>
  comparison.compare(what, {
    method: `node_${name}`,
    params,
    ours: { method: `svc_${name}`, params: [...params, { includeProof: true }] },
  });
const say = (text: string) => process.stderr.write(`${text}\n`);

const hashOf = (tx: Json) => toHex(txHash(core, new Uint8Array(Buffer.from(String(tx.data), "base64"))));
/** Sent txs, the oldest first. */
const sent: { hash: string; tx: Json }[] = [];
let lastSentAt = 0;
let varied = 0;
let watching = true;

/** Compares validation and simulation of a tx. */
async function compareValidity(what: string, tx: Json): Promise<void> {
  await compare(what, "node_isValidTx", tx);
  await compare(`${what}, as a simulation`, "node_isValidTx", tx, { isSimulation: true, skipFeeEnforcement: true });
  await compare(what, "node_simulatePublicCalls", tx);
  await compare(`${what}, without fees`, "node_simulatePublicCalls", tx, true);
}

async function compareVariants(of: string, tx: Json, variants: typeof INVALID_VARIANTS): Promise<void> {
  for (const [name, change] of Object.entries(variants)) {
    await compare(`${of} with ${name}`, "node_isValidTx", change(tx));
  }
}

async function comparePool(what: string, hash: string): Promise<void> {
  await compare(what, "node_getTxReceipt", hash);
  await compare(what, "node_getTxByHash", hash);
  await compare(what, "node_getTxsByHash", [`0x${"0".repeat(63)}7`, hash]);
  await compare(what, "node_getPendingTxCount");
  await compare(what, "node_getPendingTxs");
  await compare(`${what}, one`, "node_getPendingTxs", 1);
  await compare(`${what}, after`, "node_getPendingTxs", 5, hash);
  await compare(what, "node_getMaxPriorityFees");
  await compareWithProof(what, "getTxsByHash", [hash, `0x${"0".repeat(63)}7`]);
  await compareWithProof(what, "getPendingTxs", 50, `0x${"0".repeat(63)}7`);
}

/** Compares the tx attached to a svc_ receipt with getTxByHash of the reference. */
async function compareAttachments(what: string, hash: string): Promise<void> {
  const { result } = await own.ask("svc_getTxReceipt", [
    hash,
    { includePendingTx: true, includeProof: true, includeTxEffect: true },
  ]);
  const { status, tx } = result as { status: string; tx?: unknown };
  const asked = await reference.ask("node_getTxByHash", [hash]);
  if (status === "pending") comparison.note("svc_getTxReceipt", what, asked, { status: asked.status, result: tx });
}

/** Compares answers about a tx in a block. */
async function compareSettled(what: string, { hash, tx }: { hash: string; tx: Json }): Promise<void> {
  await compareValidity(what, tx);
  await compare(what, "node_getTxReceipt", hash);
  await compare(what, "node_getTxEffect", hash);
  await compare(what, "node_getTxByHash", hash);
}

let turn = Promise.resolve();
/** Handles one tx at a time, so that no block is mined while answers are compared. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = turn.then(work);
  turn = result.then(
    () => undefined,
    () => undefined,
  );
  return result;
}

const server = sendingProxy(reference.url, {
  before: (tx) =>
    inTurn(async () => {
      if (!watching) return;
      const what = `tx ${sent.length} fresh`;
      await compareValidity(what, tx);
      const withCalls = Array.isArray(tx.publicFunctionCalldata) && tx.publicFunctionCalldata.length > 0;
      if (varied < VARIED_TXS && withCalls === (varied % 2 === 1)) {
        varied++;
        await compareVariants(what, tx, INVALID_VARIANTS);
      }
    }),
  after: (tx, taken) =>
    inTurn(async () => {
      if (!taken || !watching) return;
      const hash = hashOf(tx);
      await own.ask("node_sendTx", [tx]);
      sent.push({ hash, tx });
      lastSentAt = Date.now();
      const what = `tx ${sent.length - 1} sent`;
      await compareAttachments(what, hash);
      await comparePool(what, hash);
      say(`tx ${sent.length} ${hash}`);
    }),
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function isMined(hash: string): Promise<boolean> {
  const { result } = await reference.ask("node_getTxReceipt", [hash]);
  return !["pending", "dropped"].includes((result as { status: string }).status);
}

try {
  await node.ready();
  await comparePool("a tx that nobody sent", `0x${"0".repeat(63)}9`);
  server.listen(Number(values.listen), "127.0.0.1");
  say(`send through http://127.0.0.1:${values.listen}`);
  const idleMs = Number(values.idle) * 1000;
  while (sent.length < Number(values.txs) && (lastSentAt === 0 || Date.now() - lastSentAt < idleMs)) await pause(500);
  // From now on txs are passed on without questions, and refused once the proxy has closed.
  watching = false;
  await turn;
  for (const [i, one] of sent.entries()) {
    for (const end = Date.now() + MINED_LIMIT_MS; !(await isMined(one.hash)) && Date.now() < end; ) await pause(1_000);
    await compareSettled(`tx ${i} settled`, one);
  }
  if (values.broken && sent.length > 0) await compareVariants("the last tx", sent[sent.length - 1].tx, BROKEN_VARIANTS);
  process.stdout.write(`${sent.length} txs\n${comparison.report()}\n`);
  process.exitCode = comparison.unexplained === 0 && sent.length > 0 ? 0 : 1;
} finally {
  server.close();
  server.closeAllConnections();
  await node.remove();
}
