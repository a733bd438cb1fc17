import { useEffect } from "preact/hooks";
import { stageOf, summary, useTips } from "../chain.js";
import { count, feeColumn, feeJuice, feePrice } from "../format.js";
import { html } from "../html.js";
import { useCall } from "../rpc.js";
import { Age, blockLink, Facts, Hash, Moment, Panel, Stage, Table, Title, txLink, Waiting } from "../ui.js";

const sum = (list, of) => list.reduce((total, item) => total + of(item), 0);

/** A whole number, or the hash of a block. */
const blockSelector = (text) => (/^\d+$/.test(text) ? Number(text) : text);

function Transactions({ effects }) {
  const columns = [
    { name: "Transaction", of: ({ txHash }) => html`<${Hash} value=${txHash} to=${txLink(txHash)} />` },
    { name: "Result", of: ({ revertCode }) => html`<${Result} reverted=${revertCode !== 0} />` },
    { name: "Fee (FJ)", kind: "number", of: ({ transactionFee }) => feeColumn(transactionFee) },
    { name: "Notes", kind: "number minor", of: ({ noteHashes }) => noteHashes.length },
    { name: "Nullifiers", kind: "number minor", of: ({ nullifiers }) => nullifiers.length },
    { name: "Writes", kind: "number minor", of: ({ publicDataWrites }) => publicDataWrites.length },
    {
      name: "Logs",
      kind: "number minor",
      of: (effect) => sum([effect.privateLogs, effect.publicLogs, effect.contractClassLogs], (logs) => logs.length),
    },
    { name: "To L1", kind: "number minor", of: ({ l2ToL1Msgs }) => l2ToL1Msgs.length },
  ];
  return html`<${Table} label="Transactions of the block" columns=${columns} rows=${effects} keyOf=${({ txHash }) => txHash} empty="An empty block." />`;
}

export const Result = ({ reverted }) =>
  html`<span class=${reverted ? "bad" : "good"}>${reverted ? "reverted" : "success"}</span>`;

function Attestations({ attestations }) {
  const signed = ({ signature }) => !/^0x0*$/.test(signature);
  const columns = [
    { name: "#", kind: "number", of: ({ place }) => place },
    { name: "Member", of: ({ address }) => html`<${Hash} value=${address} />` },
    { name: "Signed", of: (one) => (signed(one) ? "yes" : html`<span class="warn">no</span>`) },
  ];
  const rows = attestations.map((one, place) => ({ ...one, place }));
  return html`<${Panel} title="Attestations" aside=${html`<span class="dim">${rows.filter(signed).length} of ${rows.length} signed</span>`}>
    <${Table} label="Attestations" columns=${columns} rows=${rows} keyOf=${({ place }) => place} />
  <//>`;
}

/** A block by number or hash. The arrow keys go to its neighbours. */
export function BlockView({ argument }) {
  const tips = useTips();
  const options = { includeTransactions: true, includeL1PublishInfo: true, includeAttestations: true };
  const { value: block, error } = useCall("svc_getBlock", [blockSelector(argument), options], 10_000);
  const number = block?.number;
  const { value: before } = useCall(number > 1 ? "svc_getBlock" : undefined, [number - 1], Number.POSITIVE_INFINITY);
  const isOnL1 = block?.l1?.published === true;
  const { value: published } = useCall(isOnL1 ? "svc_getCheckpoint" : undefined, [block?.checkpointNumber], 10_000);
  const checkpointFees = published?.header.accumulatedFees;
  const last = tips?.proposed.number;
  useEffect(() => {
    const pressed = ({ key, target }) => {
      if (number === undefined || target instanceof HTMLInputElement) return;
      if (key === "ArrowLeft" && number > 1) location.hash = blockLink(number - 1);
      if (key === "ArrowRight" && number < last) location.hash = blockLink(number + 1);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [number, last]);
  if (block === null) {
    return html`<${Title}>No block ${argument}<//><p class="empty">This node has no such block. It may not be there yet, or not be on the chain any more.</p>`;
  }
  if (block === undefined) return html`<${Title}>Block ${argument}<//><${Waiting} error=${error} />`;
  const { slot, timestamp, coinbase, mana, fees, hash, checkpoint } = summary(block, before ?? undefined);
  const { gasFees, feeRecipient } = block.header.globalVariables;
  const effects = block.body?.txEffects ?? [];
  const pages = html`<span class="pages">
    ${number > 1 ? html`<a href=${blockLink(number - 1)} rel="prev">← ${count(number - 1)}</a>` : ""}
    ${number < last ? html`<a href=${blockLink(number + 1)} rel="next">${count(number + 1)} →</a>` : ""}
  </span>`;
  const { l1 } = block;
  return html`<${Title} aside=${pages}>Block ${count(number)} <${Stage} name=${stageOf(number, tips)} /><//>
    <div class="columns">
      <${Panel} label="Facts">
        <${Facts}
          rows=${[
            ["Time", html`<${Moment} at=${timestamp} />`],
            ["Slot", count(slot)],
            ["Checkpoint", `${count(checkpoint)}, its block ${block.indexWithinCheckpoint + 1}`],
            ["Transactions", count(effects.length)],
            ["Mana", count(mana)],
            ["Fees", feeJuice(fees)],
            // Not every protocol's checkpoint states them.
            checkpointFees !== undefined && ["Fees of the checkpoint", feeJuice(checkpointFees)],
            ["Fee per L2 gas", feePrice(gasFees.feePerL2Gas)],
            ["Fee per DA gas", feePrice(gasFees.feePerDaGas)],
            l1?.published === true && [
              "L1 block",
              html`${count(l1.blockNumber)} <span class="dim">(<${Age} at=${l1.timestamp} />)</span>`,
            ],
            l1?.published === false && ["L1 block", "not on L1 yet"],
          ]}
        />
      <//>
      <${Panel} label="Hashes">
        <${Facts}
          rows=${[
            ["Hash", html`<${Hash} value=${hash} whole />`],
            ["Archive root", html`<${Hash} value=${block.archive.root} whole />`],
            ["Coinbase", html`<${Hash} value=${coinbase} whole />`],
            ["Fee recipient", html`<${Hash} value=${feeRecipient} whole />`],
          ]}
        />
      <//>
    </div>
    <${Panel} title="Transactions"><${Transactions} effects=${effects} /><//>
    ${block.attestations?.length > 0 && html`<${Attestations} attestations=${block.attestations} />`}`;
}
