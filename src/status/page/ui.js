import { useEffect, useRef, useState } from "preact/hooks";
import { abbreviated, age, duration, moment } from "./format.js";
import { html } from "./html.js";

/** Renders again each second, for ages. */
export function useClock(every = 1_000) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now / 1000;
}

/** A development L1 whose last block is older stands still, as a recorded one does. */
const STANDS_AFTER_SECONDS = 3_600;

/** Seconds by which the chain's time is ahead of this machine's, as on a local network; below 0 where L1 stands. */
let ahead = 0;
export function setChainTime(seconds, isDevelopment) {
  const difference = Number(seconds) - Date.now() / 1000;
  if (difference > 0) ahead = difference;
  else ahead = isDevelopment && difference < -STANDS_AFTER_SECONDS ? difference : 0;
}

/** The chain's time in seconds, each second. */
export const useChainClock = () => useClock() + ahead;

/** Time since a moment of the chain, or of this machine with `real`; `plain` without "ago". */
export function Age({ at, plain = false, real = false }) {
  const now = useClock() + (real ? 0 : ahead);
  return html`<time datetime=${new Date(Number(at) * 1000).toISOString()} title=${`${moment(at)} UTC`}>
    ${plain ? duration(Math.max(0, now - Number(at))) : age(at, now)}
  </time>`;
}

export const Moment = ({ at }) =>
  html`<span><span class="mono nowrap">${moment(at)} UTC</span> <span class="dim">(<${Age} at=${at} />)</span></span>`;

/** A hash or address; `to` makes it a link, `whole` shows all of it with a button that copies it. */
export function Hash({ value, to, whole = false, head = 8 }) {
  if (!value) return html`<span class="dim">–</span>`;
  const text = whole ? value : abbreviated(value, head);
  const shown =
    to === undefined
      ? html`<span class="mono" title=${value}>${text}</span>`
      : html`<a class="mono" href=${to} title=${value}>${text}</a>`;
  return whole ? html`<span class="whole">${shown}<${Copy} text=${value} /></span>` : shown;
}

function Copy({ text }) {
  const [done, setDone] = useState(false);
  if (!navigator.clipboard) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  };
  return html`<button type="button" class="copy" onClick=${copy} aria-label=${done ? "Copied" : "Copy"}>
    <svg viewBox="0 0 16 16" width="13" height="13" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5">
      ${done ? html`<path d="M3 8.5l3.5 3.5L13 4.5" />` : html`<path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />`}
    </svg>
  </button>`;
}

export const blockLink = (number) => `#/block/${number}`;
export const txLink = (hash) => `#/tx/${hash}`;
export const contractLink = (address) => `#/contract/${address}`;

export function Panel({ title, aside, children, label }) {
  return html`<section class="panel" aria-label=${label ?? title}>
    ${(title || aside) && html`<header><h2>${title}</h2>${aside && html`<div class="aside">${aside}</div>`}</header>`}
    ${children}
  </section>`;
}

/** Few large figures side by side: name, figure, note. */
export function Figures({ rows }) {
  return html`<dl class="tips">
    ${rows.map(
      ([name, figure, note]) => html`<div key=${name}>
        <dt class="label">${name}</dt><dd class="figure">${figure}</dd><dd class="dim">${note}</dd>
      </div>`,
    )}
  </dl>`;
}

/** Name and value in two columns; rows without a value are left out. */
export function Facts({ rows }) {
  const shown = rows.filter((row) => row && row[1] !== undefined && row[1] !== null);
  return html`<dl class="facts">
    ${shown.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

/**
 * `columns`: `{ name, of(row), kind? }` with the kinds "number" (aligned right), "wide" (takes what is left), "minor"
 * (left out on a phone).
 */
export function Table({ label, columns, rows, keyOf, empty = "Nothing yet." }) {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<div class="scroll" role="group" aria-label=${label} tabindex="0">
    <table>
      <thead>
        <tr>${columns.map(({ name, kind = "" }) => html`<th scope="col" class=${kind} key=${name}>${name}</th>`)}</tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) => html`<tr key=${keyOf(row)}>
            ${columns.map(({ name, kind = "", of }) => html`<td class=${kind} key=${name}>${of(row)}</td>`)}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** What stands in place of a value that has not come, or cannot. `error` is beside the last value, if there is one. */
export function Waiting({ error, what = "the node's answer" }) {
  if (error) return html`<p class="problem" role="alert">${error.message}</p>`;
  return html`<p class="empty">Waiting for ${what}.</p>`;
}

export const Stage = ({ name }) => html`<span class=${`stage ${name}`}>${name}</span>`;

export function Bar({ value, of, label }) {
  const share = of > 0 ? Math.min(1, Math.max(0, value / of)) : 0;
  const bar = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => bar.current?.style.setProperty("--share", String(share)), [share]);
  return html`<div
    class="bar"
    role="progressbar"
    aria-label=${label}
    aria-valuemin="0"
    aria-valuemax="100"
    aria-valuenow=${Math.floor(100 * share)}
  >
    <div ref=${bar}></div>
  </div>`;
}

/** Title of the view, which gets the focus when the view opens. */
export function Title({ children, aside }) {
  return html`<div class="title"><h1 tabindex="-1">${children}</h1>${aside}</div>`;
}
