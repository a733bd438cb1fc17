import { useEffect, useRef, useState } from "preact/hooks";
import { count } from "../format.js";
import { html } from "../html.js";
import { call } from "../rpc.js";
import { Title, Waiting } from "../ui.js";

const EVERY_MS = 2_000;
const KEPT = 1_000;
const AT_ONCE = 500;
const LEVELS = ["trace", "debug", "verbose", "info", "warn", "error", "fatal"];

/** The latest lines of the log, while `follows`. */
function useLog(follows) {
  const [{ lines, error }, setLog] = useState(/** @type {{ lines?: any[], error?: any }} */ ({}));
  const last = useRef(0);
  useEffect(() => {
    if (!follows) return undefined;
    let wanted = true;
    let timer;
    const ask = async () => {
      try {
        if (!document.hidden) {
          const [answer] = await call(["svcAdmin_getLogLines", last.current, AT_ONCE]);
          if (!wanted) return;
          const added = answer.value ?? [];
          last.current = added.at(-1)?.sequence ?? last.current;
          setLog(({ lines: known = [] }) => ({
            lines: added.length === 0 ? known : [...known, ...added].slice(-KEPT),
            error: answer.error,
          }));
        }
      } catch {
        // The page tells that the node does not answer; this goes on when it does.
      }
      if (wanted) timer = setTimeout(ask, EVERY_MS);
    };
    ask();
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [follows]);
  return { lines, error };
}

function timeOf(milliseconds) {
  const time = new Date(milliseconds);
  return `${time.toLocaleTimeString("en-GB")}.${String(time.getMilliseconds()).padStart(3, "0")}`;
}

function Line({ line }) {
  const { time, level, module, message, fields } = line;
  return html`<li class=${level}>
    <time datetime=${new Date(time).toISOString()}>${timeOf(time)}</time>
    <span class="level">${level}</span>
    <span class="module">${module}</span>
    <span class="message">${message}${fields.length > 0 && html` <span class="dim">${fields.join(" ")}</span>`}</span>
  </li>`;
}

/** The end of the log; it follows new lines while it is scrolled to its end. */
export function LogView() {
  const [follows, setFollows] = useState(true);
  const [least, setLeast] = useState("trace");
  const [filter, setFilter] = useState("");
  const { lines, error } = useLog(follows);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const atEnd = useRef(true);
  useEffect(() => {
    if (box.current && atEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines, least, filter]);
  const scrolled = () => {
    if (box.current === null) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    atEnd.current = scrollHeight - scrollTop - clientHeight < 40;
  };
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = (lines ?? []).filter(({ level, module, message, fields }) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return false;
    const text = `${module} ${message} ${fields.join(" ")}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return html`<${Title} aside=${html`<span class="dim">${count(shown.length)} lines</span>`}>Log<//>
    <form class="controls" role="search" aria-label="Filter of the log" onSubmit=${(event) => event.preventDefault()}>
      <input type="search" aria-label="Filter lines" placeholder="Filter by module or text" value=${filter} onInput=${({ target }) => setFilter(target.value)} autocomplete="off" />
      <label class="choice">Level
        <select value=${least} onChange=${({ target }) => setLeast(target.value)}>
          ${LEVELS.map((level) => html`<option value=${level} key=${level}>${level}</option>`)}
        </select>
      </label>
      <button type="button" aria-pressed=${!follows} onClick=${() => setFollows(!follows)}>${follows ? "Pause" : "Go on"}</button>
    </form>
    ${
      lines === undefined
        ? html`<${Waiting} error=${error} />`
        : html`<div class="log panel" ref=${box} onScroll=${scrolled} role="region" aria-label="Lines of the log" tabindex="0">
          ${
            shown.length === 0
              ? html`<p class="empty">${lines.length === 0 ? "The node has logged nothing." : "No line has that."}</p>`
              : html`<ol>${shown.map((line) => html`<${Line} key=${line.sequence} line=${line} />`)}</ol>`
          }
        </div>`
    }`;
}
