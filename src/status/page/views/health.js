import { html } from "../html.js";
import { useCall } from "../rpc.js";
import { Age, Waiting } from "../ui.js";

/** State of a component, with a mark that does not depend on its color. */
const State = ({ name }) => html`<span class=${`state ${name}`}>${name}</span>`;

const NAMES = { l1: "L1" };
const since = ({ since: at }) => Date.parse(at) / 1000;

/** The node's components; those that are not well come first. `only` picks some by their names. */
export function Health({ only }) {
  const { value, error } = useCall("svcAdmin_getHealth");
  if (!value) return html`<${Waiting} error=${error} />`;
  const rank = { failed: 0, waiting: 1, ok: 2, off: 3 };
  const shown = value.components
    .filter(({ name }) => only === undefined || only.test(name))
    .sort((a, b) => rank[a.state] - rank[b.state]);
  return html`<ul class="health">
    ${shown.map(
      (one) => html`<li key=${one.name}>
        <${State} name=${one.state} /><span class="component">${NAMES[one.name] ?? one.name.replaceAll("-", " ")}</span>
        <span class="dim">${one.reason ? `${one.reason}; ` : ""}<span class="nowrap">for <${Age} at=${since(one)} plain real /></span></span>
      </li>`,
    )}
  </ul>`;
}
