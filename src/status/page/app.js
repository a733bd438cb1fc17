import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { clock, duration } from "./format.js";
import { html } from "./html.js";
import { forgetKey, giveKey, HAS_ADMIN, hasKey, IS_LOCAL, NEEDS_KEY, useCall, useLink } from "./rpc.js";
import { setChainTime, useChainClock, useClock } from "./ui.js";
import { BlockView } from "./views/block.js";
import { BlocksView } from "./views/blocks.js";
import { ConfigurationView } from "./views/configuration.js";
import { ContractsView, ContractView } from "./views/contracts.js";
import { DutiesView } from "./views/duties.js";
import { L1View } from "./views/l1.js";
import { LocalView } from "./views/local.js";
import { LogView } from "./views/log.js";
import { OverviewView } from "./views/overview.js";
import { PeersView } from "./views/peers.js";
import { PoolView } from "./views/pool.js";
import { SearchView } from "./views/search.js";
import { SystemView } from "./views/system.js";
import { TxView } from "./views/tx.js";

/** Tabs in their order: the route's first word, the label, and whether the admin methods are needed. */
const TABS = [
  ["", "Overview"],
  ["blocks", "Blocks"],
  ["contracts", "Contracts"],
  ["pool", "Pool"],
  ["peers", "Peers", true],
  ["duties", "Duties", true],
  ["l1", "L1", true],
  ["system", "System", true],
  ["configuration", "Configuration", true],
  ["log", "Log", true],
];
if (IS_LOCAL) TABS.splice(1, 0, ["local", "Local network", true]);

const VIEWS = {
  "": OverviewView,
  blocks: BlocksView,
  block: BlockView,
  tx: TxView,
  contracts: ContractsView,
  contract: ContractView,
  search: SearchView,
  pool: PoolView,
  peers: PeersView,
  duties: DutiesView,
  l1: L1View,
  system: SystemView,
  configuration: ConfigurationView,
  log: LogView,
  local: LocalView,
};
/** Which tab a view without a tab of its own belongs to. */
const TAB_OF = { block: "blocks", tx: "blocks", contract: "contracts", search: "" };

function route() {
  const [view = "", ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  return { view, argument: rest.join("/") };
}

function useRoute() {
  const [current, setCurrent] = useState(route());
  useEffect(() => {
    const changed = () => setCurrent(route());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return current;
}

function Search() {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => {
    const pressed = (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "")) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  const submit = (event) => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? "";
    if (text === "" || field.current === null) return;
    location.hash = `#/search/${encodeURIComponent(text)}`;
    field.current.value = "";
  };
  return html`<form class="search" role="search" onSubmit=${submit}>
    <input
      ref=${field}
      type="search"
      name="q"
      aria-label="Search by block number, hash, address, tag or nullifier"
      placeholder="Block, hash, address, tag or nullifier"
      autocomplete="off"
      spellcheck=${false}
    />
    <kbd aria-hidden="true">/</kbd>
  </form>`;
}

/** Of L1 networks for development (anvil, hardhat). */
const DEVELOPMENT_CHAIN_ID = 31337;

/** How current the node is, in three words. */
function Condition() {
  const { state } = useLink();
  const now = useClock();
  const chainNow = useChainClock();
  const { value: synced } = useCall("svc_getSyncedL1Timestamp");
  const { value: constants } = useCall("svc_getL1Constants", [], 60_000);
  const { value: info } = useCall("svc_getNodeInfo", [], 60_000);
  const isDevelopment = info?.l1ChainId === DEVELOPMENT_CHAIN_ID;
  if (synced) setChainTime(synced, isDevelopment);
  if (state === "down") return html`<span class="condition bad">Not answering</span>`;
  if (state === "key") return html`<span class="condition">Locked</span>`;
  if (state === "refused") return html`<span class="condition bad">Refused</span>`;
  if (state === "connecting" || synced === undefined || !constants)
    return html`<span class="condition">Connecting</span>`;
  if (synced === null) return html`<span class="condition warn">Reading L1</span>`;
  const behind = (isDevelopment ? chainNow : now) - Number(synced);
  // L1 has a block each of its slots; a few may be missed.
  if (behind > 5 * constants.ethereumSlotDuration) {
    return html`<span class="condition warn" title="Time since the last L1 block that was processed">
      L1 ${duration(behind)} behind
    </span>`;
  }
  return html`<span class="condition good">In sync</span>`;
}

function Unlock() {
  const { wrongKey } = useLink();
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const submit = (event) => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? "";
    if (text !== "") giveKey(text);
  };
  useEffect(() => field.current?.focus(), []);
  return html`<main class="unlock" id="main">
    <form class="panel" onSubmit=${submit}>
      <h1>Admin API key</h1>
      <p>
        This port answers with its key only. The node printed it at its first start; <code>--reset-admin-api-key</code>
        ${" "}makes another one.
      </p>
      <label for="key">API key</label>
      <input ref=${field} id="key" type="password" autocomplete="off" aria-describedby="key-note" aria-invalid=${wrongKey} />
      ${wrongKey && html`<p class="problem" role="alert">The node does not take this key.</p>`}
      <button type="submit">Open</button>
      <p class="dim" id="key-note">It is kept for this tab, until the tab is closed, and sent to this node only.</p>
    </form>
  </main>`;
}

function Trouble() {
  const { state, message, answeredAt } = useLink();
  if (state === "down") {
    return html`<div class="trouble" role="alert">
      ${message || "The node does not answer."}
      ${answeredAt > 0 && html`${" "}What is shown is from ${clock(answeredAt)}.`} Trying again.
    </div>`;
  }
  if (state !== "refused") return null;
  return html`<div class="trouble" role="alert">
    The node refuses the calls of this page. Without an API key it answers pages under an IP address or localhost only:
    open it as <code>http://127.0.0.1</code>, or start the node with a key. ${message}
  </div>`;
}

function App() {
  const { view, argument } = useRoute();
  const { state } = useLink();
  const { value: info } = useCall("svc_getNodeInfo", [], 60_000);
  const tab = TAB_OF[view] ?? view;
  const label = TABS.find(([name]) => name === tab)?.[1] ?? "Not found";
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${view === tab ? label : `${argument.slice(0, 12)} – ${label}`} – svc`;
    if (!isFirst.current) {
      document.querySelector("h1")?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isFirst.current = false;
    document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [view, argument]);
  const isThere =
    view === "local" ? IS_LOCAL : HAS_ADMIN || !TABS.some(([name, , needsAdmin]) => needsAdmin && name === view);
  const View = (isThere && VIEWS[view]) || Missing;
  const bar = html`<header class="top">
    <a class="skip" href="#main" onClick=${skip}>Skip to content</a>
    <a class="name" href="#/" aria-label="svc, overview">svc</a>
    <span class="network">${info && html`chain ${info.l1ChainId} <span class="dim">·</span> rollup ${info.rollupVersion}`}</span>
    <${Search} />
    <${Condition} />
    ${NEEDS_KEY && hasKey() && state !== "key" && html`<button class="quiet" type="button" onClick=${forgetKey}>Lock</button>`}
  </header>`;
  if (state === "key") return html`${bar}<${Unlock} />`;
  return html`${bar}
    <nav aria-label="Views">
      <ul>
        ${TABS.filter(([, , needsAdmin]) => HAS_ADMIN || !needsAdmin).map(
          ([name, text]) => html`<li key=${name}>
            <a href=${`#/${name}`} aria-current=${name === tab ? "page" : undefined}>${text}</a>
          </li>`,
        )}
      </ul>
    </nav>
    <${Trouble} />
    <main id="main" class=${state === "down" ? "stale" : ""} tabindex="-1">
      <${View} key=${`${view}/${argument}`} argument=${argument} />
    </main>`;
}

function skip(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Missing() {
  return html`<h1 tabindex="-1">Not found</h1><p class="empty">There is no such view. <a href="#/">Overview</a></p>`;
}

render(html`<${App} />`, document.body);
