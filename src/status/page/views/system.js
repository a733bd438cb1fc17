import { bytes, count, duration, percent } from "../format.js";
import { html } from "../html.js";
import { growth, mean, useMetrics, within } from "../metrics.js";
import { Bar, Facts, Figures, Panel, Table, Title, useClock, Waiting } from "../ui.js";
import { milliseconds } from "./l1.js";

const PREFIXES = ["process.", "svc.process.", "nodejs.", "svc.gc.", "svc.rpc.", "svc.store.", "aztec.db."];
const STORE = "aztec.db_type";
const STORES = { archiver: "Chain", "tx-pool": "Pool" };
/** The delay is measured by a timer, whose interval it contains. */
const TIMER_NS = 20e6;
const METHODS_SHOWN = 12;

/** Share of the last minute in which a thread was busy; undefined before there are two samples. */
function busy(metrics, [active, activeLabels], [idle, idleLabels]) {
  const on = growth(metrics, active, activeLabels);
  const off = growth(metrics, idle, idleLabels);
  return on === undefined || off === undefined || on + off === 0 ? undefined : on / (on + off);
}

const shareText = (share) => (share === undefined ? "–" : percent(share, 1));

function Threads({ metrics }) {
  const { latest } = metrics;
  const numbers = latest.series("svc.rpc.thread.restarts").map(({ labels }) => labels.thread);
  const STATE = "nodejs.eventloop.state";
  const rows = [
    {
      name: "node",
      share: busy(
        metrics,
        ["nodejs.eventloop.time", { [STATE]: "active" }],
        ["nodejs.eventloop.time", { [STATE]: "idle" }],
      ),
      restarts: undefined,
    },
    ...numbers.map((thread) => ({
      name: `RPC ${Number(thread) + 1}`,
      share: busy(metrics, ["svc.rpc.thread.active", { thread }], ["svc.rpc.thread.idle", { thread }]),
      restarts: latest.total("svc.rpc.thread.restarts", { thread }),
    })),
  ];
  const columns = [
    { name: "Thread", of: ({ name }) => name },
    { name: "Busy", kind: "number", of: ({ share }) => shareText(share) },
    {
      name: "Last minute",
      kind: "wide bars",
      of: ({ name, share }) => html`<${Bar} value=${share ?? 0} of=${1} label=${`Thread ${name} busy`} />`,
    },
    {
      name: "Restarts",
      kind: "number",
      of: ({ restarts }) =>
        restarts === undefined
          ? html`<span class="dim">–</span>`
          : html`<span class=${restarts > 0 ? "bad" : ""}>${count(restarts)}</span>`,
    },
  ];
  return html`<${Table} label="Threads" columns=${columns} rows=${rows} keyOf=${({ name }) => name} />`;
}

function Loop({ latest }) {
  const delay = (name) => {
    const nanoseconds = latest.total(`nodejs.eventloop.delay.${name}`);
    return nanoseconds === undefined ? "–" : `${(Math.max(0, nanoseconds - TIMER_NS) / 1e6).toFixed(1)} ms`;
  };
  const pauses = latest.series("svc.gc.duration");
  const gc = pauses.reduce((sum, one) => sum + one.sum, 0);
  const collections = pauses.reduce((sum, { counts }) => sum + counts.reduce((all, one) => all + one, 0), 0);
  return html`<${Facts}
    rows=${[
      ["Event loop late", `${delay("p50")} median, ${delay("p99")} at 99 %, ${delay("max")} at most`],
      ["Garbage collection", `${gc.toFixed(1)} s in ${count(collections)} pauses since the start`],
      [
        "Long calls",
        `${count(latest.total("svc.rpc.long_calls.running"))} running, ${count(latest.total("svc.rpc.long_calls.waiting"))} waiting, ${count(latest.total("svc.rpc.long_calls.refused"))} refused`,
      ],
      ["RPC connections", count(latest.total("svc.rpc.connections"))],
    ]}
  />`;
}

function Requests({ metrics }) {
  const { latest, seconds } = metrics;
  const DURATION = "svc.rpc.request.duration";
  const rows = [...new Set(latest.series("svc.rpc.requests").map(({ labels }) => labels.method))]
    .map((method) => {
      const of = (outcome) => latest.total("svc.rpc.requests", { method, outcome }) ?? 0;
      return {
        method,
        calls: latest.total("svc.rpc.requests", { method }),
        failed: of("failed"),
        refused: of("refused"),
        recent: growth(metrics, "svc.rpc.requests", { method }),
        time: latest.series(DURATION, { method })[0],
      };
    })
    .sort((a, b) => b.calls - a.calls)
    .slice(0, METHODS_SHOWN);
  const columns = [
    { name: "Method", of: ({ method }) => html`<span class="mono">${method}</span>` },
    {
      name: "A minute",
      kind: "number",
      of: ({ recent }) => (recent === undefined ? "–" : count(Math.round((60 * recent) / seconds))),
    },
    { name: "Calls", kind: "number", of: ({ calls }) => count(calls) },
    { name: "Failed", kind: "number minor", of: ({ failed }) => count(failed) },
    { name: "Refused", kind: "number minor", of: ({ refused }) => count(refused) },
    { name: "Mean", kind: "number", of: ({ time }) => (time ? shortTime(mean(time)) : "–") },
    { name: "99 % within", kind: "number", of: ({ time }) => (time ? within(time, 0.99, shortTime) : "–") },
  ];
  return html`<${Table} label="Calls of the public port" columns=${columns} rows=${rows} keyOf=${({ method }) => method}
    empty="No client has called the public port yet." />`;
}

function shortTime(seconds) {
  if (seconds === undefined) return "–";
  return seconds < 0.001 ? `${Math.max(1, Math.round(seconds * 1e6))} µs` : milliseconds(seconds);
}

function Store({ latest, name }) {
  const labels = { [STORE]: name };
  const of = (metric) => latest.total(metric, labels);
  const [file, used, most] = [of("aztec.db.physical_file_size"), of("aztec.db.used_size"), of("aztec.db.map_size")];
  const tables = latest.series("svc.store.table_size", labels).sort((a, b) => b.value - a.value);
  const columns = [
    { name: "Table", of: (one) => one.labels.table },
    { name: "Size", kind: "number", of: ({ value }) => bytes(value) },
    { name: "Share", kind: "number", of: ({ value }) => percent(value, file) },
  ];
  return html`<${Panel} title=${`Store: ${STORES[name] ?? name}`} aside=${html`<span class="dim">${bytes(file)}</span>`}>
    <${Bar} value=${used} of=${file} label=${`Part of the file of the store ${name} in use`} />
    <${Facts}
      rows=${[
        ["In use", `${bytes(used)} (${percent(used, file)} of the file)`],
        ["Free pages", count(of("svc.store.free_pages"))],
        ["Rows", count(of("aztec.db.num_items"))],
        ["May grow to", most === undefined ? "the disk's size" : bytes(most)],
        ["Free on the disk", bytes(of("svc.store.disk_free"))],
        ["Readers", count(of("svc.store.readers"))],
      ]}
    />
    <details class="more"><summary>Tables</summary><${Table} label=${`Tables of the store ${name}`} columns=${columns} rows=${tables} keyOf=${(one) => one.labels.table} /></details>
  <//>`;
}

function Uptime({ at }) {
  return duration(Math.max(0, useClock() - at));
}

export function SystemView() {
  const metrics = useMetrics(PREFIXES);
  const { latest, seconds, error } = metrics;
  if (!latest) return html`<${Title}>System<//><${Waiting} error=${error} />`;
  const cpu = growth(metrics, "process.cpu.time");
  const stores = [...new Set(latest.series("aztec.db.physical_file_size").map(({ labels }) => labels[STORE]))];
  const disk = Math.min(...latest.series("svc.store.disk_free").map(({ value }) => value));
  const start = latest.total("svc.process.start_time");
  return html`<${Title} aside=${html`<span class="dim">running for <${Uptime} at=${start} /></span>`}>System<//>
    <${Figures}
      rows=${[
        ["Processor", cpu === undefined ? "–" : percent(cpu, seconds), "of one, all threads"],
        ["Memory", bytes(latest.total("process.memory.usage")), "resident"],
        [
          "Heap",
          bytes(latest.total("nodejs.memory.v8_heap.usage")),
          `of the node's thread; ${bytes(latest.total("nodejs.memory.array_buffer.usage") ?? 0)} in buffers`,
        ],
        ["Disk", Number.isFinite(disk) ? bytes(disk) : "–", "free"],
      ]}
    />
    <div class="columns">
      <${Panel} title="Threads"><${Threads} metrics=${metrics} /><//>
      <${Panel} title="The node's thread"><${Loop} latest=${latest} /><//>
    </div>
    <${Panel} title="Calls of the public port" aside=${html`<span class="dim">the ${METHODS_SHOWN} most called methods</span>`}><${Requests} metrics=${metrics} /><//>
    <div class="columns">${stores.map((name) => html`<${Store} key=${name} latest=${latest} name=${name} />`)}</div>`;
}
