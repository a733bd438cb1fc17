import { count, feeJuice } from "../format.js";
import { html } from "../html.js";
import { useCall } from "../rpc.js";
import { blockLink, contractLink, Facts, Hash, Panel, Stage, Table, Title, Waiting } from "../ui.js";
import { Result } from "./block.js";

/** A list of field elements, numbered. */
function Fields({ title, values }) {
  if (values.length === 0) return null;
  const columns = [
    { name: "#", kind: "number", of: ({ place }) => place },
    { name: "Value", kind: "wide", of: ({ value }) => html`<span class="mono break">${value}</span>` },
  ];
  const rows = values.map((value, place) => ({ value, place }));
  return html`<${Panel} title=${title} aside=${html`<span class="dim">${count(values.length)}</span>`}>
    <${Table} label=${title} columns=${columns} rows=${rows} keyOf=${({ place }) => place} />
  <//>`;
}

function Writes({ writes }) {
  if (writes.length === 0) return null;
  const columns = [
    { name: "Leaf slot", of: ({ leafSlot }) => html`<${Hash} value=${leafSlot} />` },
    { name: "Value", kind: "wide", of: ({ value }) => html`<span class="mono break">${value}</span>` },
  ];
  return html`<${Panel} title="Public storage writes" aside=${html`<span class="dim">${count(writes.length)}</span>`}>
    <${Table} label="Public storage writes" columns=${columns} rows=${writes} keyOf=${({ leafSlot }) => leafSlot} />
  <//>`;
}

/** Search for the logs with the tag of a log. A public log is found by its contract and tag together. */
function sameTag({ kind, contractAddress, fields }) {
  if (kind === "class") return undefined;
  const words = kind === "public" ? `${contractAddress} ${fields[0]}` : fields[0];
  return `#/search/${encodeURIComponent(words)}`;
}

function Logs({ effect }) {
  const rows = [
    ...effect.privateLogs.map(({ fields, emittedLength }) => ({ kind: "private", fields, length: emittedLength })),
    ...effect.publicLogs.map(({ contractAddress, fields }) => ({
      kind: "public",
      contractAddress,
      fields,
      length: fields.length,
    })),
    ...effect.contractClassLogs.map(({ contractAddress, fields, emittedLength }) => ({
      kind: "class",
      contractAddress,
      fields: fields.fields,
      length: emittedLength,
    })),
  ].map((row, place) => ({ ...row, place }));
  if (rows.length === 0) return null;
  const columns = [
    { name: "#", kind: "number", of: ({ place }) => place },
    { name: "Kind", of: ({ kind }) => kind },
    {
      name: "Contract",
      of: ({ contractAddress }) =>
        contractAddress
          ? html`<${Hash} value=${contractAddress} to=${contractLink(contractAddress)} />`
          : html`<span class="dim">hidden</span>`,
    },
    { name: "Tag", of: (log) => html`<${Hash} value=${log.fields[0]} to=${sameTag(log)} />` },
    { name: "Fields", kind: "number", of: ({ length }) => count(length) },
    {
      name: "Content",
      kind: "wide",
      of: ({ fields, length }) =>
        html`<details><summary>Show</summary><ol class="fields mono">${fields.slice(0, Math.min(length, 64)).map((field) => html`<li>${field}</li>`)}</ol>${length > 64 && html`<p class="dim">and ${count(length - 64)} more</p>`}</details>`,
    },
  ];
  return html`<${Panel} title="Logs" aside=${html`<span class="dim">${count(rows.length)}</span>`}>
    <${Table} label="Logs" columns=${columns} rows=${rows} keyOf=${({ place }) => place} />
  <//>`;
}

function Effects({ effect }) {
  return html`<${Writes} writes=${effect.publicDataWrites} />
    <${Fields} title="Note hashes" values=${effect.noteHashes} />
    <${Fields} title="Nullifiers" values=${effect.nullifiers} />
    <${Fields} title="Messages to L1" values=${effect.l2ToL1Msgs} />
    <${Logs} effect=${effect} />`;
}

/** A transaction and what it did. */
export function TxView({ argument }) {
  const { value: receipt, error } = useCall("svc_getTxReceipt", [argument, { includeTxEffect: true }], 4_000);
  const title = html`Transaction`;
  if (!receipt) return html`<${Title}>${title}<//><${Waiting} error=${error} />`;
  const facts = [["Hash", html`<${Hash} value=${receipt.txHash} whole />`]];
  if (receipt.status === "dropped") {
    return html`<${Title}>${title} <${Stage} name="unknown" /><//>
      <${Panel} label="Facts"><${Facts} rows=${facts} />
        <p class="empty">This node knows no such transaction: it is in no block and not in the pool.</p><//>`;
  }
  if (receipt.status === "pending") {
    return html`<${Title}>${title} <${Stage} name="pending" /><//>
      <${Panel} label="Facts"><${Facts} rows=${facts} /><p class="empty">It waits in the pool for a block.</p><//>`;
  }
  return html`<${Title}>${title} <${Stage} name=${receipt.status} /><//>
    <${Panel} label="Facts">
      <${Facts}
        rows=${[
          ...facts,
          ["Result", html`<${Result} reverted=${receipt.executionResult !== "success"} />`],
          [
            "Block",
            html`<a href=${blockLink(receipt.blockNumber)}>${count(receipt.blockNumber)}</a>, its transaction ${receipt.txIndexInBlock + 1}`,
          ],
          ["Slot", `${count(receipt.slotNumber)}, epoch ${count(receipt.epochNumber)}`],
          ["Fee", feeJuice(receipt.transactionFee)],
        ]}
      />
    <//>
    ${receipt.txEffect ? html`<${Effects} effect=${receipt.txEffect} />` : html`<${Waiting} />`}`;
}
