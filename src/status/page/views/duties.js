import { count, duration, moment, percent } from "../format.js";
import { html } from "../html.js";
import { useCall, useCalls } from "../rpc.js";
import { Age, Hash, Panel, Table, Title, Waiting } from "../ui.js";

/** Validators whose statistics are read one by one. */
const MAX_VALIDATORS = 20;
const SHOWN_MISSES = 60;

const STATUS = {
  "checkpoint-mined": ["ok", "proposed, on L1"],
  "checkpoint-proposed": ["ok", "proposed"],
  "checkpoint-missed": ["failed", "no checkpoint"],
  "blocks-missed": ["failed", "no blocks"],
  "attestation-sent": ["ok", "attested"],
  "attestation-missed": ["failed", "not attested"],
};
/** The steps in their order, as one says them. */
const STEPS = ["received", "collected", "built", "executed", "checked", "signed", "sent", "attested", "published"];

const isAttestation = (status) => status.startsWith("attestation");
const dutyOf = (status) => (isAttestation(status) ? "attest" : "propose checkpoint");
const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(Math.abs(milliseconds) < 9_950 ? 2 : 1)} s`;
const orderedSteps = (steps) => STEPS.filter((step) => step in steps).map((step) => [step, steps[step]]);

/** Why a validator of this node missed a duty, as far as the node knows. */
function reasonOf({ slot, status }, { misses, slots, stats }) {
  const duty = dutyOf(status);
  const noted = misses.find(
    (one) => one.slot === slot && (one.duty === duty || (!isAttestation(status) && one.duty !== "attest")),
  );
  if (noted) return noted.reason;
  if (stats.initialSlot !== undefined && slot <= stats.initialSlot) return "before this node started";
  const timed = slots.find((one) => one.slot === slot);
  const done = timed?.duties.find((one) => one.duty === duty);
  if (done?.steps.sent !== undefined) {
    return `sent ${seconds(done.steps.sent)} into the slot, but seen neither in gossip nor on L1`;
  }
  const oldest = slots.at(-1)?.slot;
  if (timed === undefined && (oldest === undefined || slot < oldest)) return "not known any more";
  if (isAttestation(status)) {
    return done ? "the checkpoint proposal was not checked in time" : "no checkpoint proposal reached this node";
  }
  return "this node did not propose";
}

function Misses({ own, misses, slots }) {
  const fromStats = own.flatMap((stats) =>
    stats.validator.history
      .filter(({ status }) => status.endsWith("missed"))
      .map((one) => ({
        slot: one.slot,
        validator: stats.validator.address,
        what: STATUS[one.status][1],
        reason: reasonOf(one, { misses, slots, stats }),
      })),
  );
  const known = new Set(fromStats.map(({ slot }) => slot));
  const others = misses
    .filter(({ slot }) => !known.has(slot))
    .map(({ slot, duty, reason }) => ({
      ...{ slot, validator: undefined, reason },
      what: duty,
      // It was done, and may have been of use.
      late: reason.startsWith("done "),
    }));
  const rows = [...fromStats, ...others].sort((a, b) => b.slot - a.slot).slice(0, SHOWN_MISSES);
  const columns = [
    { name: "Slot", kind: "number", of: ({ slot }) => count(slot) },
    {
      name: "Missed",
      of: ({ what, late }) => html`<span class=${`state ${late ? "waiting" : "failed"}`}>${what}</span>`,
    },
    { name: "Reason", kind: "wide", of: ({ reason }) => reason },
    { name: "Validator", kind: "minor", of: ({ validator }) => html`<${Hash} value=${validator} />` },
  ];
  return html`<${Table} label="Missed duties" columns=${columns} rows=${rows}
    keyOf=${({ slot, validator, what }) => `${slot} ${validator} ${what}`} empty="No duty was missed." />`;
}

const NONE = html`<span class="dim">–</span>`;

function MissedShare({ missed }) {
  if (missed === undefined) return NONE;
  const { count: times, total } = missed;
  if (total === 0) return html`<span class="dim">none due</span>`;
  return html`<span class=${times > 0 ? "bad" : ""}>${count(times)}</span> of ${count(total)}${" "}
    <span class="dim">(${percent(times, total)})</span>`;
}

const since = (done) => (done ? html`<${Age} at=${done.timestamp} />` : NONE);

/** `own`: address and statistics, undefined where there are none. */
function Validators({ own }) {
  const columns = [
    { name: "Validator", of: ({ address }) => html`<${Hash} value=${address} to=${`#/duties/${address}`} />` },
    {
      name: "Missed proposals",
      of: ({ stats }) => html`<${MissedShare} missed=${stats?.validator.missedProposals} />`,
    },
    {
      name: "Missed attestations",
      of: ({ stats }) => html`<${MissedShare} missed=${stats?.validator.missedAttestations} />`,
    },
    {
      name: "In a row",
      kind: "number minor",
      of: ({ stats }) => (stats ? count(stats.validator.missedAttestations.currentStreak) : NONE),
    },
    { name: "Last attestation", kind: "minor", of: ({ stats }) => since(stats?.validator.lastAttestation) },
    { name: "Last proposal", kind: "wide minor", of: ({ stats }) => since(stats?.validator.lastProposal) },
  ];
  const known = own.some(({ stats }) => stats);
  return html`<${Table} label="Validators of this node" columns=${columns} rows=${own} keyOf=${({ address }) => address} />
    ${!known && html`<p class="dim note">Statistics need <code>SENTINEL_ENABLED</code>, P2P and an epoch since the start.</p>`}`;
}

/** The steps of a duty on the time of its slot. */
function Timeline({ duty: { steps, due }, slotMs }) {
  const all = orderedSteps(steps);
  const [width, height] = [180, 14];
  const x = (milliseconds) => Math.max(0, Math.min(width, (width * milliseconds) / slotMs));
  const times = all.map(([, milliseconds]) => milliseconds);
  return html`<svg class="timeline" viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} aria-hidden="true">
    <line x1="0" x2=${width} y1=${height / 2} y2=${height / 2} />
    <rect x=${x(Math.min(...times))} y="4" height="6" rx="2" width=${Math.max(3, x(Math.max(...times)) - x(Math.min(...times)))} />
    ${due !== undefined && html`<line class="due" x1=${x(due)} x2=${x(due)} y1="0" y2=${height} />`}
  </svg>`;
}

function Slots({ slots, constants }) {
  const slotMs = (constants?.slotDuration ?? 72) * 1000;
  const rows = slots.flatMap(({ slot, duties }) => duties.map((duty) => ({ slot, duty })));
  const columns = [
    { name: "Slot", kind: "number", of: ({ slot }) => count(slot) },
    {
      name: "Begun",
      kind: "minor",
      of: ({ slot }) =>
        constants && html`<${Age} at=${Number(constants.l1GenesisTime) + slot * constants.slotDuration} />`,
    },
    { name: "Duty", of: ({ duty }) => `${duty.duty}${duty.index === undefined ? "" : ` ${duty.index + 1}`}` },
    {
      name: "Left",
      kind: "number",
      of: ({ duty: { due, steps } }) => {
        const left = due - Math.max(...Object.values(steps));
        return Number.isFinite(left)
          ? html`<span class=${left < 0 ? "bad" : ""}>${seconds(left)}</span>`
          : html`<span class="dim">–</span>`;
      },
    },
    { name: "In the slot", of: ({ duty }) => html`<${Timeline} duty=${duty} slotMs=${slotMs} />` },
    {
      name: "Steps",
      kind: "wide minor",
      of: ({ duty }) =>
        orderedSteps(duty.steps)
          .map(([step, at]) => `${step} ${seconds(at)}`)
          .join(", "),
    },
  ];
  return html`<${Table} label="Duties of the latest slots" columns=${columns} rows=${rows}
    keyOf=${({ slot, duty }) => `${slot} ${duty.duty} ${duty.index ?? ""}`}
    empty="This node had nothing to do in the latest slots: it has no validator, or no proposal reached it." />`;
}

/** What a validator did slot by slot; of any validator of the network. */
function Validator({ address }) {
  const { value: stats, error } = useCall("svc_getValidatorStats", [address], 10_000);
  if (stats === undefined) return html`<${Waiting} error=${error} />`;
  if (stats === null) return html`<p class="empty">No statistics of this validator.</p>`;
  const columns = [
    { name: "Slot", kind: "number", of: ({ slot }) => count(slot) },
    {
      name: "Duty",
      kind: "wide",
      of: ({ status }) => html`<span class=${`state ${STATUS[status][0]}`}>${STATUS[status][1]}</span>`,
    },
  ];
  const { validator } = stats;
  return html`<${Panel} title="Duties" aside=${html`<span class="dim">${count(validator.totalSlots)} slots</span>`}>
    <${Validators} own=${[{ address, stats }]} />
    <${Table} label="Slot by slot" columns=${columns} rows=${[...validator.history].reverse().slice(0, 200)} keyOf=${({ slot, status }) => `${slot} ${status}`} empty="Nothing was due." />
  <//>`;
}

export function DutiesView({ argument }) {
  const { value: attesters, error } = useCall("svcAdmin_getAttesters", [], 30_000);
  const { value: misses } = useCall("svcAdmin_getMissedDuties", [], 4_000);
  const { value: slots } = useCall("svcAdmin_getDutyTimes", [], 4_000);
  const { value: constants } = useCall("svc_getL1Constants", [], 60_000);
  const asked = (attesters ?? []).slice(0, MAX_VALIDATORS);
  const answers = useCalls(
    asked.map((address) => ["svc_getValidatorStats", address]),
    10_000,
  );
  const own = asked.map((address, i) => ({ address, stats: answers[i].value ?? undefined }));
  if (argument) {
    return html`<${Title} aside=${html`<a href="#/duties">All duties</a>`}>Validator<//><p class="sought mono break">${argument}</p><${Validator} address=${argument} />`;
  }
  if (!attesters || !misses || !slots) return html`<${Title}>Duties<//><${Waiting} error=${error} />`;
  const begun = constants && moment(Number(constants.l1GenesisTime));
  return html`<${Title} aside=${constants && html`<span class="dim">slots of ${duration(constants.slotDuration)} since ${begun} UTC</span>`}>Duties<//>
    <${Panel} title="Validators of this node" aside=${attesters.length > MAX_VALIDATORS && html`<span class="dim">the first ${MAX_VALIDATORS} of ${count(attesters.length)}</span>`}>
      ${attesters.length === 0 ? html`<p class="empty">This node has no validator's key.</p>` : html`<${Validators} own=${own} />`}
    <//>
    <${Panel} title="Missed or late"><${Misses} own=${own.flatMap(({ stats }) => stats ?? [])} misses=${misses} slots=${slots} /><//>
    <${Panel} title="Slot by slot" aside=${html`<span class="dim">times from the start of the slot</span>`}>
      <${Slots} slots=${slots} constants=${constants} />
    <//>`;
}
