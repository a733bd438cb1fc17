import { useState } from "preact/hooks";
import { count } from "../format.js";
import { html } from "../html.js";
import { call, useCall } from "../rpc.js";
import { blockLink, contractLink, Facts, Hash, Panel, Table, Title, txLink, Waiting } from "../ui.js";

/** Siloed tag of the private logs by which contracts are deployed: the event's name hashed with the registry's address. */
const INSTANCE_PUBLISHED = "0x1a7e1badb79abdd38c684b3c8306ffe7ecb33c69e3380d9855730aaaa83a21a8";
/** Words of such a log after its tag. */
const ADDRESS = 1;
const CLASS = 4;
const DEPLOYER = 14;
const PAGE = 20;

function Protocol() {
  const { value: info } = useCall("svc_getNodeInfo", [], 60_000);
  const rows = Object.entries(info?.protocolContractAddresses ?? {}).sort(([, a], [, b]) => a.localeCompare(b));
  return html`<${Panel} title="Contracts of the protocol">
    <${Facts} rows=${rows.map(([name, address]) => [name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`), html`<${Hash} value=${address} to=${contractLink(address)} />`])} />
  <//>`;
}

/** Deployments in the order of the chain, from a block on. */
export function ContractsView({ argument }) {
  const fromBlock = Math.max(1, Number(argument) || 1);
  const query = { tags: [INSTANCE_PUBLISHED], fromBlock, limitPerTag: PAGE };
  const { value, error } = useCall("svc_getPrivateLogsByTags", [query], 6_000);
  const logs = value?.[0];
  const columns = [
    {
      name: "Contract",
      of: ({ logData }) => html`<${Hash} value=${logData[ADDRESS]} to=${contractLink(logData[ADDRESS])} />`,
    },
    { name: "Class", of: ({ logData }) => html`<${Hash} value=${logData[CLASS]} />` },
    {
      name: "Deployer",
      kind: "minor",
      of: ({ logData }) =>
        /^0x0*$/.test(logData[DEPLOYER] ?? "0x") ? "anyone" : html`<${Hash} value=${logData[DEPLOYER]} />`,
    },
    {
      name: "Block",
      kind: "number",
      of: ({ blockNumber }) => html`<a href=${blockLink(blockNumber)}>${count(blockNumber)}</a>`,
    },
    { name: "Transaction", kind: "minor", of: ({ txHash }) => html`<${Hash} value=${txHash} to=${txLink(txHash)} />` },
  ];
  const last = logs?.at(-1)?.blockNumber;
  const more =
    logs?.length === PAGE && last > fromBlock ? html`<a href=${`#/contracts/${last}`}>Later ones</a>` : undefined;
  return html`<${Title}>Contracts<//>
    <${Panel} title="Deployed" aside=${more}>
      ${logs === undefined ? html`<${Waiting} error=${error} />` : html`<${Table} label="Deployed contracts" columns=${columns} rows=${logs} keyOf=${({ txHash, logIndexWithinTx }) => `${txHash} ${logIndexWithinTx}`} empty="No block has deployed a contract." />`}
    <//>
    <${Protocol} />`;
}

/** Reads a slot of public storage. */
function Storage({ address }) {
  const [shown, setShown] = useState(
    /** @type {{ slot: string, value?: string, error?: any } | undefined} */ (undefined),
  );
  const read = async (event) => {
    event.preventDefault();
    const slot = String(new FormData(event.target).get("slot")).trim();
    try {
      const [{ value, error }] = await call(["svc_getPublicStorageAt", "latest", address, slot]);
      setShown({ slot, value, error });
    } catch (error) {
      setShown({ slot, error });
    }
  };
  return html`<${Panel} title="Public storage">
    <form class="inline" onSubmit=${read}>
      <label>Slot <input name="slot" required placeholder="1 or 0x…" autocomplete="off" /></label>
      <button type="submit">Read</button>
    </form>
    <div role="status">
      ${shown?.error && html`<p class="problem">${shown.error.message}</p>`}
      ${shown?.value && html`<${Facts} rows=${[[`Slot ${shown.slot}`, html`<span class="mono break">${shown.value}</span>`]]} />`}
    </div>
  <//>`;
}

function ContractClass({ id }) {
  const { value, error } = useCall("svc_getContractClass", [id], Number.POSITIVE_INFINITY);
  if (value === undefined) return html`<${Waiting} error=${error} />`;
  if (value === null)
    return html`<p class="empty">No block has published this class, so nothing public of it can run.</p>`;
  return html`<${Facts}
    rows=${[
      [
        "Published in block",
        value.l2BlockNumber === 0
          ? "with the protocol"
          : html`<a href=${blockLink(value.l2BlockNumber)}>${count(value.l2BlockNumber)}</a>`,
      ],
      ["Public bytecode", `${count(Math.floor((value.packedBytecode.length * 3) / 4))} bytes`],
      ["Artifact hash", html`<${Hash} value=${value.artifactHash} whole />`],
      ["Private functions root", html`<${Hash} value=${value.privateFunctionsRoot} whole />`],
    ]}
  />`;
}

export function ContractView({ argument }) {
  const { value: contract, error } = useCall("svc_getContract", [argument], 10_000);
  if (contract === undefined) return html`<${Title}>Contract<//><${Waiting} error=${error} />`;
  if (contract === null) {
    return html`<${Title}>Contract<//><p class="sought mono break">${argument}</p>
      <p class="empty">No contract is deployed at this address as far as this node knows. Contracts that only have private functions need not be.</p>`;
  }
  const { currentContractClassId, originalContractClassId } = contract;
  return html`<${Title}>Contract<//>
    <${Panel} title="Instance">
      <${Facts}
        rows=${[
          ["Address", html`<${Hash} value=${contract.address} whole />`],
          ["Class", html`<${Hash} value=${currentContractClassId} whole />`],
          originalContractClassId !== currentContractClassId && [
            "Deployed with class",
            html`<${Hash} value=${originalContractClassId} whole />`,
          ],
          ["Deployer", html`<${Hash} value=${contract.deployer} whole />`],
          ["Initialization hash", html`<${Hash} value=${contract.initializationHash} whole />`],
          ["Salt", html`<${Hash} value=${contract.salt} whole />`],
          // Zero where the address binds none.
          !/^0x0*$/.test(contract.immutablesHash) && [
            "Immutables hash",
            html`<${Hash} value=${contract.immutablesHash} whole />`,
          ],
        ]}
      />
    <//>
    <${Panel} title="Class"><${ContractClass} id=${currentContractClassId} /><//>
    <${Storage} address=${argument} />`;
}
