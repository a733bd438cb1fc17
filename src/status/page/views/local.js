import { useState } from "preact/hooks";
import { amount, count, duration, feeJuice, moment } from "../format.js";
import { html } from "../html.js";
import { call, useCall } from "../rpc.js";
import { contractLink, Facts, Hash, Panel, Table, Title, useChainClock, Waiting } from "../ui.js";

const UNITS = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 };

/** Runs one operation at a time, and keeps what came of it. */
function useOperation() {
  const [{ running, text, failed }, set] = useState(
    /** @type {{ running?: string, text?: unknown, failed?: boolean }} */ ({}),
  );
  const run = async (label, ask, told) => {
    set({ running: label });
    try {
      const [{ value, error }] = await call(ask);
      if (error) throw error;
      set({ text: told(value) });
    } catch (error) {
      set({ text: /** @type {Error} */ (error).message, failed: true });
    }
  };
  const outcome = html`<div role="status" class="outcome">
    ${running && html`<p class="dim">${running} …</p>`}
    ${text && html`<div class=${failed ? "problem" : "told"}>${text}</div>`}
  </div>`;
  return { busy: running !== undefined, run, outcome };
}

const field = (event, name) => String(new FormData(event.target).get(name)).trim();

function Time() {
  const now = useChainClock();
  const { value: constants } = useCall("svc_getL1Constants", [], 60_000);
  const { value: sequencer } = useCall("svcAdmin_getMetrics", [["svc.sequencer.paused"]]);
  const [suggested] = useState(
    moment(now + 3_600)
      .replace(" ", "T")
      .slice(0, 16),
  );
  const { busy, run, outcome } = useOperation();
  const ahead = now - Date.now() / 1000;
  const paused = sequencer?.[0]?.value === 1;
  const advance = (event) => {
    event.preventDefault();
    const seconds = Number(field(event, "amount")) * UNITS[field(event, "unit")];
    run(
      "Moving time",
      ["svcAdmin_advanceNextBlockTimestampBy", seconds],
      () => `The next block is ${duration(seconds)} after the latest one.`,
    );
  };
  const set = (event) => {
    event.preventDefault();
    const seconds = Math.floor(Date.parse(`${field(event, "moment")}Z`) / 1000);
    run(
      "Moving time",
      ["svcAdmin_setNextBlockTimestamp", seconds],
      () => `The next block is at ${moment(seconds)} UTC or later.`,
    );
  };
  return html`<${Panel} title="Time">
    <${Facts}
      rows=${[
        [
          "Time of the chain",
          html`<span class="mono">${moment(now)} UTC</span>${ahead > 5 && html` <span class="dim">(${duration(ahead)} ahead)</span>`}`,
        ],
        [
          "Slot",
          constants && count(Math.max(0, Math.floor((now - Number(constants.l1GenesisTime)) / constants.slotDuration))),
        ],
        [
          "Blocks",
          paused
            ? html`<span class="state waiting">paused</span>`
            : html`<span class="state ok">built on demand</span>`,
        ],
      ]}
    />
    <form class="inline" onSubmit=${advance}>
      <label for="amount">Advance by</label>
      <input id="amount" name="amount" type="number" min="1" max="100000" required value="1" />
      <select name="unit" aria-label="Unit">${Object.keys(UNITS).map((unit) => html`<option key=${unit} selected=${unit === "hours"}>${unit}</option>`)}</select>
      <button type="submit" disabled=${busy}>Advance</button>
    </form>
    <form class="inline" onSubmit=${set}>
      <label for="moment">Set to (UTC)</label>
      <input id="moment" name="moment" type="datetime-local" step="1" required value=${suggested} />
      <button type="submit" disabled=${busy}>Set</button>
    </form>
    <div class="inline">
      <button type="button" disabled=${busy} onClick=${() => run("Mining", ["svcAdmin_mineBlock"], () => "Mined a block.")}>Mine a block</button>
      ${
        paused
          ? html`<button type="button" disabled=${busy} onClick=${() => run("Going on", ["svcAdmin_resumeSequencer"], () => "Blocks are built again.")}>Build blocks again</button>`
          : html`<button type="button" disabled=${busy} onClick=${() => run("Pausing", ["svcAdmin_pauseSequencer"], () => "No block is built until it goes on.")}>Pause building</button>`
      }
    </div>
    ${outcome}
  <//>`;
}

function Claim({ claim, address }) {
  return html`<p>Deposited. When a block has the message, the owner of the address claims it with this:</p>
    <${Facts}
      rows=${[
        ["For", html`<${Hash} value=${address} whole />`],
        ["Amount", `${feeJuice(claim.amount)} (${claim.amount})`],
        ["Secret", html`<${Hash} value=${claim.secret} whole />`],
        ["Leaf index", claim.leafIndex],
        ["Message", html`<${Hash} value=${claim.messageHash} whole />`],
      ]}
    />`;
}

function Faucet() {
  const { busy, run, outcome } = useOperation();
  const give = (event) => {
    event.preventDefault();
    const address = field(event, "address");
    if (/^(0x)?[0-9a-f]{40}$/i.test(address)) {
      run("Sending", ["svcAdmin_giveEther", address, 10], () => `Sent 10 ETH to ${address}.`);
    } else {
      run(
        "Depositing",
        ["svcAdmin_depositFeeJuice", address],
        (claim) => html`<${Claim} claim=${claim} address=${address} />`,
      );
    }
  };
  return html`<${Panel} title="Faucet">
    <form class="inline" onSubmit=${give}>
      <label class="long">Address<input name="address" required pattern="(0x)?([0-9a-fA-F]{40}|[0-9a-fA-F]{64})" placeholder="0x… on L1 or L2" autocomplete="off" spellcheck=${false} /></label>
      <button type="submit" disabled=${busy}>Give</button>
    </form>
    <p class="dim note">An address on L1 gets 10 ETH. For one on L2, 1,000 fee juice is deposited, which its owner claims there.</p>
    ${outcome}
  <//>`;
}

function Snapshots() {
  const { value: ids } = useCall("svcAdmin_getSnapshots");
  const { busy, run, outcome } = useOperation();
  const columns = [
    { name: "Snapshot", kind: "wide", of: (id) => html`<span class="mono">${id}</span>` },
    {
      name: "Back to it",
      of: (id) => html`<button type="button" class="small" disabled=${busy} aria-label=${`Go back to snapshot ${id}`}
        onClick=${() => run("Going back", ["svcAdmin_revert", id], (done) => (done ? `Went back to snapshot ${id}.` : "That snapshot is gone."))}>Go back</button>`,
    },
  ];
  return html`<${Panel} title="Snapshots">
    <div class="inline">
      <button type="button" disabled=${busy} onClick=${() => run("Taking a snapshot", ["svcAdmin_snapshot"], (id) => `Took snapshot ${id}.`)}>Take a snapshot</button>
    </div>
    ${ids?.length > 0 && html`<${Table} label="Snapshots" columns=${columns} rows=${ids} keyOf=${(id) => id} />`}
    ${outcome}
  <//>`;
}

function Accounts() {
  const { value, error } = useCall("svcAdmin_getAccounts", [], 4_000);
  if (!value) return html`<${Panel} title="Accounts"><${Waiting} error=${error} /><//>`;
  const l2 = [
    { name: "Name", of: ({ name }) => html`<span class="nowrap">${name}</span>` },
    { name: "Address", of: ({ address }) => html`<${Hash} value=${address} to=${contractLink(address)} />` },
    { name: "Fee juice", kind: "number", of: (one) => amount(one.feeJuice) },
    { name: "Secret key", kind: "wide minor", of: ({ secretKey }) => html`<${Hash} value=${secretKey} />` },
  ];
  const l1 = [
    { name: "Address", kind: "wide", of: ({ address }) => html`<${Hash} value=${address} whole />` },
    { name: "ETH", kind: "number", of: ({ balance }) => amount(balance) },
  ];
  return html`<${Panel} title="Accounts on L2" aside=${html`<span class="dim">everybody knows the keys</span>`}>
      <${Table} label="Accounts on L2" columns=${l2} rows=${value.l2} keyOf=${({ address }) => address} empty="The network was started without test accounts." />
    <//>
    <${Panel} title="Accounts on L1"><${Table} label="Accounts on L1" columns=${l1} rows=${value.l1} keyOf=${({ address }) => address} /><//>`;
}

/** What only a local network has. */
export function LocalView() {
  return html`<${Title}>Local network<//>
    <div class="columns"><${Time} /><div class="stack"><${Faucet} /><${Snapshots} /></div></div>
    <${Accounts} />`;
}
