import { bytes, count, duration, feeJuice, feePrice, short } from "../format.js";
import { html } from "../html.js";
import { growth, useMetrics } from "../metrics.js";
import { HAS_ADMIN, useCall } from "../rpc.js";
import { Age, contractLink, Facts, Figures, Hash, Panel, Table, Title, txLink, useChainClock, Waiting } from "../ui.js";

const SHOWN = 50;
const PREFIXES = ["aztec.mempool."];

function Expiry({ at }) {
  const left = Number(at) - useChainClock();
  if (left > 365 * 86_400) return html`<span class="dim">never</span>`;
  return left < 0 ? html`<span class="bad">expired</span>` : `in ${duration(left)}`;
}

function Pending() {
  const { value: txs, error } = useCall("svcAdmin_getPendingTxSummaries", [SHOWN]);
  if (!txs) return html`<${Waiting} error=${error} />`;
  const columns = [
    { name: "Transaction", of: ({ hash }) => html`<${Hash} value=${hash} to=${txLink(hash)} />` },
    {
      name: "Waiting",
      of: ({ receivedAt }) => (receivedAt ? html`<${Age} at=${receivedAt / 1000} />` : "since before the start"),
    },
    { name: "Priority fee (FJ wei)", kind: "number", of: ({ priorityFee }) => count(BigInt(priorityFee)) },
    { name: "Costs at most", kind: "number minor", of: ({ feeLimit }) => feeJuice(feeLimit) },
    { name: "L2 gas limit", kind: "number minor", of: ({ l2GasLimit }) => short(l2GasLimit) },
    { name: "Calls", kind: "minor", of: ({ forPublic }) => (forPublic ? "public" : "private") },
    { name: "Size", kind: "number minor", of: (tx) => bytes(tx.bytes) },
    { name: "Expires", of: ({ expiration }) => html`<${Expiry} at=${expiration} />` },
    {
      name: "Fee payer",
      kind: "wide minor",
      of: ({ feePayer }) => html`<${Hash} value=${feePayer} to=${contractLink(feePayer)} />`,
    },
  ];
  return html`<${Table} label="Pending transactions" columns=${columns} rows=${txs} keyOf=${({ hash }) => hash}
    empty="No transaction waits for a block." />`;
}

function Counts() {
  const metrics = useMetrics(PREFIXES);
  const { latest, error } = metrics;
  if (!latest) return html`<${Waiting} error=${error} />`;
  const inState = (status) => latest.total("aztec.mempool.tx_count", { "aztec.status": status }) ?? 0;
  const taken = growth(metrics, "aztec.mempool.tx_added_count");
  const rejected = latest.total("aztec.mempool.tx_pool_v2.rejected_count") ?? 0;
  const ignored = latest.total("aztec.mempool.tx_pool_v2.ignored_count") ?? 0;
  return html`<${Figures}
    rows=${[
      ["Pending", count(inState("pending")), "wait for a block"],
      ["Protected", count(inState("protected")), "named by a proposal"],
      ["Mined", count(inState("mined")), "kept until finalized"],
      ["Refused", count(rejected), `not permitted; ${count(ignored)} known or outbid`],
    ]}
  /><p class="dim note">${taken === undefined ? "Counts are since the node's start." : `${count(taken)} taken in the last minute. Refusals are since the node's start.`}</p>`;
}

function Fees() {
  const { value: fees } = useCall("svc_getCurrentMinFees");
  const { value: highest } = useCall("svc_getMaxPriorityFees");
  const { value: pending } = useCall("svc_getPendingTxCount");
  return html`<${Facts}
    rows=${[
      !HAS_ADMIN && ["Pending transactions", count(pending)],
      ["Least fee per L2 gas", fees && feePrice(fees.feePerL2Gas)],
      ["Least fee per DA gas", fees && feePrice(fees.feePerDaGas)],
      ["Highest priority fee", highest && feePrice(highest.feePerL2Gas)],
    ]}
  />`;
}

export function PoolView() {
  return html`<${Title}>Pool<//>
    ${HAS_ADMIN && html`<${Counts} />`}
    <${Panel} title="Fees"><${Fees} /><//>
    ${HAS_ADMIN && html`<${Panel} title="Pending" aside=${html`<span class="dim">the first ${SHOWN} by priority</span>`}><${Pending} /><//>`}`;
}
