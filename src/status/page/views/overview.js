import { useMemo } from "preact/hooks";
import { useBlocks, useTips } from "../chain.js";
import { Chart } from "../chart.js";
import { count, feePrice } from "../format.js";
import { html } from "../html.js";
import { HAS_ADMIN, useCall } from "../rpc.js";
import { Age, Bar, blockLink, Facts, Hash, Moment, Panel, Title, useChainClock, Waiting } from "../ui.js";
import { BlockTable } from "./blocks.js";
import { Health } from "./health.js";

const CHARTED = 60;
const LISTED = 8;

const MEANINGS = {
  proposed: "last block known",
  checkpointed: "on L1",
  proven: "proven on L1",
  finalized: "proof finalized on L1",
};

function Tips({ tips }) {
  const head = tips.proposed.number;
  return html`<ul class="tips">
    ${Object.entries(MEANINGS).map(([name, meaning]) => {
      const { number, checkpoint } = tips[name];
      return html`<li key=${name}>
        <span class="label">${name}</span>
        <a class="figure" href=${blockLink(number)}>${count(number)}</a>
        <span class="dim">
          ${name === "proposed" ? meaning : number === head ? `${meaning}, no lag` : `${meaning}, ${count(head - number)} behind`}
        </span>
        ${checkpoint !== undefined && html`<span class="dim">checkpoint ${count(checkpoint)}</span>`}
      </li>`;
    })}
  </ul>`;
}

/** How far the node has read L1: by slots, since that is known on every port. */
function Sync({ tips }) {
  const now = useChainClock();
  const { value: synced } = useCall("svc_getSyncedL1Timestamp");
  const { value: slot } = useCall("svc_getSyncedL2SlotNumber");
  const { value: constants } = useCall("svc_getL1Constants", [], 60_000);
  const { value: ready } = useCall("svc_isReady");
  if (synced === undefined || !constants) return html`<${Waiting} />`;
  const { l1GenesisTime, slotDuration } = constants;
  const current = Math.max(0, Math.floor((now - Number(l1GenesisTime)) / slotDuration));
  return html`<${Bar} value=${slot ?? 0} of=${current} label="Slots of L1 that were read" />
    <${Facts}
      rows=${[
        ["Slot now", count(current)],
        [
          "Last slot read from L1",
          slot === null
            ? "none yet"
            : slot >= current
              ? `${count(slot)}, the slot now`
              : `${count(slot)}, ${current - slot === 1 ? "1 slot" : `${count(current - slot)} slots`} before now`,
        ],
        ["L1 read up to", synced === null ? "nothing yet" : html`<${Moment} at=${synced} />`],
        ["Takes transactions", ready === undefined ? "–" : ready ? "yes" : "no"],
        ["Last checkpoint", tips && count(tips.checkpointed.checkpoint)],
      ]}
    />`;
}

function Activity({ blocks }) {
  const data = useMemo(() => {
    const ordered = [...blocks].reverse();
    return [ordered.map(({ number }) => number), ordered.map(({ txs }) => txs), ordered.map(({ mana }) => mana)];
  }, [blocks]);
  if (blocks.length < 2) return html`<p class="empty">No blocks to chart yet.</p>`;
  const [newest, oldest] = [blocks[0], blocks.at(-1)];
  const txs = blocks.reduce((sum, block) => sum + block.txs, 0);
  const seconds = newest.timestamp - oldest.timestamp;
  const range = `blocks ${oldest.number} to ${newest.number}`;
  return html`<div class="charts">
    <figure>
      <figcaption>Transactions a block</figcaption>
      <${Chart} data=${[data[0], data[1]]} series=${[{ label: "Transactions", color: "--accent", bars: true }]} height=${130}
        summary=${`Bar chart of transactions a block, ${range}: ${txs} in all`} />
    </figure>
    <figure>
      <figcaption>Mana a block</figcaption>
      <${Chart} data=${[data[0], data[2]]} series=${[{ label: "Mana", color: "--second", bars: true }]} height=${130}
        summary=${`Bar chart of mana a block, ${range}`} />
    </figure>
    <p class="dim">
      ${count(txs)} transactions in the last ${count(blocks.length)} blocks, one
      block every ${count(Math.round(seconds / (blocks.length - 1)))} s.
    </p>
  </div>`;
}

function Identity() {
  const { value: info, error } = useCall("svc_getNodeInfo", [], 60_000);
  const { value: fees } = useCall("svc_getCurrentMinFees");
  const { value: pending } = useCall("svc_getPendingTxCount");
  if (!info) return html`<${Waiting} error=${error} />`;
  const { rollupAddress, registryAddress } = info.l1ContractAddresses;
  return html`<${Facts}
    rows=${[
      ["Pending transactions", count(pending)],
      ["Least fee per L2 gas", fees && feePrice(fees.feePerL2Gas)],
      ["Least fee per DA gas", fees && feePrice(fees.feePerDaGas)],
      ["Network release", info.nodeVersion],
      ["L1 chain id", String(info.l1ChainId)],
      ["Rollup version", String(info.rollupVersion)],
      ["Rollup", html`<${Hash} value=${rollupAddress} />`],
      ["Registry", html`<${Hash} value=${registryAddress} />`],
      ["Proofs of transactions", info.realProofs ? "checked" : "not checked"],
    ]}
  />`;
}

export function OverviewView() {
  const tips = useTips();
  const tip = tips?.proposed.number ?? 0;
  const { blocks, error } = useBlocks(Math.max(1, tip - CHARTED + 1), tip, tips?.proposed.hash);
  const last = blocks[0];
  return html`<${Title} aside=${last && html`<span class="dim">last block <${Age} at=${last.timestamp} /></span>`}>Overview<//>
    ${tips ? html`<${Tips} tips=${tips} />` : html`<${Waiting} />`}
    <div class="columns">
      <${Panel} title="Sync"><${Sync} tips=${tips} /><//>
      ${HAS_ADMIN ? html`<${Panel} title="Health"><${Health} /><//>` : html`<${Panel} title="Node"><${Identity} /><//>`}
    </div>
    <${Panel} title="Activity"><${Activity} blocks=${blocks} /><//>
    <${Panel} title="Latest blocks" aside=${html`<a href="#/blocks">All blocks</a>`}>
      ${error ? html`<${Waiting} error=${error} />` : html`<${BlockTable} label="Latest blocks" blocks=${blocks.slice(0, LISTED)} tips=${tips} />`}
    <//>
    ${HAS_ADMIN && html`<${Panel} title="Node"><${Identity} /><//>`}`;
}
