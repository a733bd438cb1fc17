import { useEffect, useState } from "preact/hooks";
import { html } from "../html.js";
import { call } from "../rpc.js";
import { blockLink, contractLink, Hash, Panel, Table, Title, txLink, Waiting } from "../ui.js";

const NULLIFIERS = 0;
const NOTE_HASHES = 1;

/** 32 bytes with or without 0x; shorter hex is padded, as field elements are written. */
function fieldText(text) {
  const digits = text.replace(/^0x/i, "").toLowerCase();
  return /^[0-9a-f]{1,64}$/.test(digits) ? `0x${digits.padStart(64, "0")}` : undefined;
}

/** The transaction of a block that has a value among its effects, undefined where it is only in the block. */
async function txWith(number, list, value) {
  const [{ value: block }] = await call(["svc_getBlock", number, { includeTransactions: true }]);
  return block?.body?.txEffects.find((effect) => effect[list].includes(value))?.txHash;
}

const FOUND_IN = {
  [NULLIFIERS]: ["Nullifier", "nullifiers"],
  [NOTE_HASHES]: ["Note hash", "noteHashes"],
};

async function leaf(tree, value, answer) {
  const place = answer.value?.[0];
  if (!place) return [];
  const [kind, list] = FOUND_IN[tree];
  const hash = await txWith(place.l2BlockNumber, list, value);
  const where = `of block ${place.l2BlockNumber}, leaf ${place.data}`;
  return [{ kind, where, to: hash ? txLink(hash) : blockLink(place.l2BlockNumber), value: hash ?? place.l2BlockHash }];
}

function logs(kind, answer) {
  return (answer.value?.[0] ?? []).map(({ txHash, blockNumber }) => ({
    kind,
    where: `of block ${blockNumber}`,
    to: txLink(txHash),
    value: txHash,
  }));
}

async function findNumber(number) {
  const [{ value }] = await call(["svc_getBlockData", number]);
  return value ? [{ kind: "Block", where: `number ${number}`, to: blockLink(number), value: value.blockHash }] : [];
}

async function findField(value) {
  const [block, receipt, contract, contractClass, nullifier, noteHash, tagged, message] = await call(
    ["svc_getBlockData", value],
    ["svc_getTxReceipt", value],
    ["svc_getContract", value],
    ["svc_getContractClass", value],
    ["svc_findLeavesIndexes", "latest", NULLIFIERS, [value]],
    ["svc_findLeavesIndexes", "latest", NOTE_HASHES, [value]],
    ["svc_getPrivateLogsByTags", { tags: [value] }],
    ["svc_getL1ToL2MessageCheckpoint", value],
  );
  const found = [];
  const number = block.value?.header.globalVariables.blockNumber;
  if (number !== undefined) found.push({ kind: "Block", where: `number ${number}`, to: blockLink(number), value });
  if (receipt.value && receipt.value.status !== "dropped") {
    found.push({ kind: "Transaction", where: receipt.value.status, to: txLink(value), value });
  }
  if (contract.value) found.push({ kind: "Contract", where: "deployed", to: contractLink(value), value });
  if (contractClass.value) {
    found.push({
      kind: "Contract class",
      where: `published in block ${contractClass.value.l2BlockNumber}`,
      to: blockLink(contractClass.value.l2BlockNumber),
      value,
    });
  }
  found.push(...(await leaf(NULLIFIERS, value, nullifier)), ...(await leaf(NOTE_HASHES, value, noteHash)));
  found.push(...logs("Private log with this tag", tagged));
  if (message.value)
    found.push({ kind: "Message from L1", where: `in checkpoint ${message.value}`, to: "#/blocks", value });
  return found;
}

async function findPublicLogs(contractAddress, tag) {
  const [answer] = await call(["svc_getPublicLogsByTags", { contractAddress, tags: [tag] }]);
  if (answer.error) throw answer.error;
  return logs("Public log with this tag", answer);
}

async function findValidator(address) {
  const [{ value }] = await call(["svc_getValidatorStats", address]);
  return value
    ? [
        {
          kind: "Validator",
          where: `${value.validator.totalSlots} slots known`,
          to: `#/duties/${address}`,
          value: address,
        },
      ]
    : [];
}

/** What a text may mean. Rejects when the node does not answer. */
async function find(text) {
  const words = text.split(/[\s,]+/).filter(Boolean);
  if (words.length === 2) {
    const [contract, tag] = words.map(fieldText);
    return contract && tag ? await findPublicLogs(contract, tag) : [];
  }
  if (/^\d{1,15}$/.test(text)) return await findNumber(Number(text));
  if (/^(0x)?[0-9a-f]{40}$/i.test(text)) return await findValidator(`0x${text.replace(/^0x/i, "").toLowerCase()}`);
  const value = fieldText(text);
  return value === undefined ? [] : await findField(value);
}

/** Whether a text names one thing only: not short hex, which may be meant as a number or as the start of a hash. */
function isWhole(text) {
  return text.split(/[\s,]+/).every((word) => /^(\d+|(0x)?([0-9a-f]{40}|[0-9a-f]{60,64}))$/i.test(word));
}

/** Results of a search; a single one is opened at once where the text is whole. */
export function SearchView({ argument }) {
  const [{ found, error }, setFound] = useState(/** @type {{ found?: any[], error?: any }} */ ({}));
  useEffect(() => {
    let wanted = true;
    find(argument.trim()).then(
      (results) => {
        if (!wanted) return;
        if (results.length === 1 && isWhole(argument.trim())) location.replace(results[0].to);
        else setFound({ found: results });
      },
      (failure) => wanted && setFound({ error: failure }),
    );
    return () => {
      wanted = false;
    };
  }, [argument]);
  const columns = [
    { name: "Found", of: ({ kind, to }) => html`<a href=${to}>${kind}</a>` },
    { name: "Where", of: ({ where }) => where },
    { name: "Hash", kind: "wide minor", of: ({ value }) => html`<${Hash} value=${value} />` },
  ];
  return html`<${Title}>Search<//>
    <p class="sought mono break">${argument}</p>
    <${Panel} label="Results">
      ${
        found === undefined
          ? html`<${Waiting} error=${error} />`
          : html`<${Table}
              label="Search results"
              columns=${columns}
              rows=${found}
              keyOf=${({ kind, to }) => `${kind} ${to}`}
              empty="Nothing on this node is known by that. It takes a block number; the hash of a block, transaction, contract class or message from L1; the address of a contract or validator; a nullifier, a note hash, a private log's tag; or a contract's address and a public log's tag with a space between."
            />`
      }
    <//>`;
}
