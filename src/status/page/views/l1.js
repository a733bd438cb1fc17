import { count, duration, percent } from "../format.js";
import { html } from "../html.js";
import { growth, mean, useMetrics, within } from "../metrics.js";
import { useCall } from "../rpc.js";
import { Figures, Panel, Table, Title, Waiting } from "../ui.js";
import { Health } from "./health.js";

const PREFIXES = ["svc.l1.", "aztec.l1."];
const CALLS = "svc.l1.calls";
/** Outcomes that are the endpoint's failure; an error that it answered may be the call's. */
const FAILURES = {
  "rate-limited": "rate limited",
  unreachable: "unreachable",
  timeout: "timed out",
  "http-status": "HTTP error",
  nonsense: "wrong answer",
};

export const milliseconds = (seconds) =>
  seconds === undefined ? "–" : seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;

function failures(sample, endpoint) {
  return Object.entries(FAILURES)
    .map(([outcome, name]) => [name, sample.total(CALLS, { endpoint, outcome }) ?? 0])
    .filter(([, calls]) => calls > 0);
}

function Endpoints({ metrics }) {
  const { first, latest, seconds } = metrics;
  const endpoints = [...new Set(latest.series(CALLS).map(({ labels }) => labels.endpoint))];
  const failed = (sample, endpoint) => failures(sample, endpoint).reduce((sum, [, calls]) => sum + calls, 0);
  const time = (endpoint) => latest.series("svc.l1.call.duration", { endpoint })[0];
  const columns = [
    { name: "Endpoint", of: (endpoint) => html`<span class="mono">${endpoint}</span>` },
    {
      name: "Now",
      of: (endpoint) => {
        const calls = growth(metrics, CALLS, { endpoint });
        const bad = failed(latest, endpoint) - failed(first, endpoint);
        if (calls === undefined) return html`<span class="dim">–</span>`;
        if (calls === 0) return html`<span class="state off">idle</span>`;
        return html`<span class=${`state ${bad === 0 ? "ok" : bad < calls ? "waiting" : "failed"}`}>
          ${bad === 0 ? "answers" : `${percent(bad, calls)} fail`}
        </span>`;
      },
    },
    {
      name: "Calls a minute",
      kind: "number",
      of: (endpoint) => {
        const calls = growth(metrics, CALLS, { endpoint });
        return calls === undefined ? "–" : count(Math.round((60 * calls) / seconds));
      },
    },
    { name: "Calls", kind: "number minor", of: (endpoint) => count(latest.total(CALLS, { endpoint })) },
    {
      name: "Mean",
      kind: "number",
      of: (endpoint) => (time(endpoint) ? milliseconds(mean(time(endpoint))) : "–"),
    },
    {
      name: "95 % within",
      kind: "number minor",
      of: (endpoint) => (time(endpoint) ? within(time(endpoint), 0.95, milliseconds) : "–"),
    },
    {
      name: "Failed since the start",
      kind: "wide",
      of: (endpoint) => {
        const bad = failures(latest, endpoint);
        if (bad.length === 0) return html`<span class="dim">none</span>`;
        return bad.map(([name, calls]) => `${count(calls)} ${name}`).join(", ");
      },
    },
  ];
  return html`<${Table} label="L1 endpoints" columns=${columns} rows=${endpoints} keyOf=${(endpoint) => endpoint}
    empty="No call was made yet." />`;
}

export function L1View() {
  const metrics = useMetrics(PREFIXES);
  const { value: health } = useCall("svcAdmin_getHealth");
  const { latest, error } = metrics;
  const height = latest?.total("aztec.l1.block_height");
  const calls = latest && growth(metrics, CALLS);
  return html`<${Title}>L1<//>
    <${Figures}
      rows=${[
        ["Latest block", count(height), "that an endpoint has shown"],
        [
          "Processed",
          count(health?.l1BlockNumber),
          height && health?.l1BlockNumber ? `${count(Math.max(0, height - health.l1BlockNumber))} behind` : "",
        ],
        ["Age", health?.l1AgeSeconds === undefined ? "–" : duration(health.l1AgeSeconds), "of the processed block"],
        ["Calls", calls === undefined ? "–" : count(Math.round((60 * calls) / metrics.seconds)), "a minute"],
      ]}
    />
    <${Panel} title="Endpoints and blob stores">
      ${latest ? html`<${Endpoints} metrics=${metrics} />` : html`<${Waiting} error=${error} />`}
    <//>
    <${Panel} title="State"><${Health} only=${/l1|blob/i} /><//>`;
}
