import { stageOf, useBlocks, useTips } from "../chain.js";
import { count, feeColumn, short } from "../format.js";
import { html } from "../html.js";
import { Age, blockLink, Hash, Panel, Stage, Table, Title, Waiting } from "../ui.js";

const PAGE = 25;

export function BlockTable({ blocks, tips, label }) {
  const columns = [
    { name: "Block", kind: "number", of: ({ number }) => html`<a href=${blockLink(number)}>${count(number)}</a>` },
    { name: "Age", of: ({ timestamp }) => html`<${Age} at=${timestamp} />` },
    { name: "Txs", kind: "number", of: ({ txs }) => count(txs) },
    { name: "Mana", kind: "number", of: ({ mana }) => short(mana) },
    { name: "Fees (FJ)", kind: "number minor", of: ({ fees }) => feeColumn(fees) },
    { name: "Slot", kind: "number minor", of: ({ slot }) => count(slot) },
    { name: "Checkpoint", kind: "number minor", of: ({ checkpoint }) => count(checkpoint) },
    { name: "Stage", of: ({ number }) => html`<${Stage} name=${stageOf(number, tips)} />` },
    {
      name: "Hash",
      kind: "wide minor",
      of: ({ hash, number }) => html`<${Hash} value=${hash} to=${blockLink(number)} />`,
    },
  ];
  return html`<${Table} label=${label} columns=${columns} rows=${blocks} keyOf=${({ hash }) => hash} empty="No block yet." />`;
}

/** Blocks from the tip down; the argument is the first one to show. */
export function BlocksView({ argument }) {
  const tips = useTips();
  const tip = tips?.proposed.number ?? 0;
  const asked = Number(argument);
  const top = Number.isSafeInteger(asked) && asked > 0 ? Math.min(asked, tip) : tip;
  const from = Math.max(1, top - PAGE + 1);
  const { blocks, error } = useBlocks(from, top, tips?.proposed.hash);
  const pages = html`<span class="pages">
    ${top < tip ? html`<a href=${top + PAGE >= tip ? "#/blocks" : `#/blocks/${top + PAGE}`}>Newer</a>` : html`<span class="dim">Newer</span>`}
    ${from > 1 ? html`<a href=${`#/blocks/${from - 1}`}>Older</a>` : html`<span class="dim">Older</span>`}
  </span>`;
  return html`<${Title} aside=${pages}>Blocks<//>
    <${Panel} label="Blocks">
      ${tips === undefined || error ? html`<${Waiting} error=${error} />` : html`<${BlockTable} label="Blocks, newest first" blocks=${blocks} tips=${tips} />`}
    <//>`;
}
