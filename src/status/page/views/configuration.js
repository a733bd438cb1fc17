import { useState } from "preact/hooks";
import { count } from "../format.js";
import { html } from "../html.js";
import { useCall } from "../rpc.js";
import { Panel, Table, Title, Waiting } from "../ui.js";

const COLUMNS = [
  {
    name: "Option",
    of: ({ name, flag, variable, meaning }) => html`<span class="mono option">${flag ?? variable ?? name}</span>
      ${flag && variable && html`<span class="mono dim minor option">${variable}</span>`}
      <span class="dim meaning">${meaning}</span>`,
  },
  {
    name: "Value",
    of: ({ value, origin }) => html`<span class="mono break">${value === "" ? "–" : value}</span>
      <span class="dim narrow">${origin}</span>`,
  },
  {
    name: "Origin",
    kind: "minor",
    of: ({ origin }) => html`<span class=${origin === "default" ? "dim" : ""}>${origin}</span>`,
  },
];

const matches = ({ name, flag = "", variable = "", value, meaning }, words) => {
  const text = `${name} ${flag} ${variable} ${value} ${meaning}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

/** The options with their values and origins; those that were given come alone at first. */
export function ConfigurationView() {
  const { value: options, error } = useCall("svcAdmin_getOptions", [], Number.POSITIVE_INFINITY);
  const [filter, setFilter] = useState("");
  const [all, setAll] = useState(false);
  if (!options) return html`<${Title}>Configuration<//><${Waiting} error=${error} />`;
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = options.filter(
    (option) => (all || words.length > 0 || option.origin !== "default") && matches(option, words),
  );
  const groups = [...Map.groupBy(shown, ({ group }) => group)];
  return html`<${Title} aside=${html`<span class="dim">${count(shown.length)} of ${count(options.length)} options</span>`}>Configuration<//>
    <form class="controls" role="search" aria-label="Filter of options" onSubmit=${(event) => event.preventDefault()}>
      <input type="search" aria-label="Filter options" placeholder="Filter by name, variable, value or meaning" value=${filter} onInput=${({ target }) => setFilter(target.value)} autocomplete="off" />
      <label class="check"><input type="checkbox" checked=${all} onChange=${({ target }) => setAll(target.checked)} /> Defaults too</label>
    </form>
    ${groups.map(
      ([group, rows]) => html`<${Panel} key=${group} title=${group}><div class="options">
        <${Table} label=${`Options: ${group}`} columns=${COLUMNS} rows=${rows} keyOf=${({ name }) => name} />
      </div><//>`,
    )}
    ${groups.length === 0 && html`<p class="empty">${words.length > 0 ? "No option has that." : "Every option has its default."}</p>`}
    <p class="dim note">As the node was started. What <code>svcAdmin_setConfig</code> changed since is in <code>svcAdmin_getConfig</code>.</p>`;
}
