/**
 * node test/mempool/live/v5-sent-txs.ts SENT: transactions of the recorded v5 chain as their wallets sent them, lines of
 * `{tx}` in a gzipped file. Each is read, written again, hashed, and checked in the state that it was sent in.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { digestTx } from "../../../src/mempool/digest/digest-tx.ts";
import { txFacts } from "../../../src/mempool/digest/tx-facts.ts";
import { rpcChecks, runChecks } from "../../../src/mempool/validation/check-groups.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { txFromBytes, txToBytes } from "../../../src/protocol/tx/tx-bytes.ts";
import { JsonWriter } from "../../../src/rpc/codecs/json/json-writer.ts";
import { encodeTx } from "../../../src/rpc/codecs/shared/tx.ts";
import { V5_CHAIN } from "../../world/l1/recorded-networks.ts";
import { before, blockOf, sentTxs } from "../../world/mempool/v5-sent-txs.ts";
import { core, syncRecordedChain } from "../../world/snapshots/synced-chain.ts";

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: node test/mempool/live/v5-sent-txs.ts SENT");
const lines = gunzipSync(readFileSync(path)).toString("utf8").trimEnd().split("\n");
const sent = sentTxs(lines.map((line) => JSON.stringify(JSON.parse(line).tx)).join("\n"));
const chain = await syncRecordedChain(V5_CHAIN, { checkpointHistory: 0 });
const checks = rpcChecks(V5.transactions, { isSimulation: false, skipFeeEnforcement: false });
let faults = 0;
for (const one of sent) {
  const { json, tx } = one;
  const fault = (text: string): void => {
    faults++;
    console.error(`${json.txHash}: ${text}`);
  };
  const digest = digestTx(core, tx, V5.contracts);
  if (toHex(digest.hash) !== json.txHash) fault("another hash");
  const out = new JsonWriter();
  encodeTx(out, { hash: digest.hash, tx, withProof: true });
  if (Buffer.from(out.take()).toString("utf8") !== JSON.stringify(json)) fault("other JSON");
  const bytes = txToBytes(digest.hash, tx);
  const read = txFromBytes(bytes, 0, V5.transactions.proofFields);
  if (!Buffer.from(txToBytes(read.hash, read.tx)).equals(bytes)) fault("other bytes");
  const { contexts, fees } = before(chain, blockOf(chain, one));
  const verdict = runChecks(checks, txFacts(tx, digest, V5.contracts), contexts.next(fees));
  if (verdict.result !== "valid") fault(verdict.reason.join(", "));
}
console.log(`${sent.length} transactions, ${faults} faults`);
await chain.close();
process.exitCode = faults === 0 ? 0 : 1;
