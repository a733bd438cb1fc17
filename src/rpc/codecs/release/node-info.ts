import {
  contractWords,
  isEveryRollups,
  L1_CONTRACT_NAMES,
  type L1ContractName,
} from "../../../l1/contract-addresses.ts";
import type { RollupIdentity } from "../../../l1/types.ts";
import type { ContractRules } from "../../../protocol/generations/contracts.ts";
import { encoder } from "../json/encoder.ts";
import { about, BOOLEAN, COUNT, record, TEXT } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { MemberWriter } from "../json/member-writer.ts";
import { ETH_ADDRESS, L2_ADDRESS } from "../json/scalars.ts";
import { writeText } from "../json/write-values.ts";
import { GAS } from "../shared/gas.ts";

const addressesOf = (names: readonly L1ContractName[]) =>
  Object.fromEntries(
    names.map((name) => [name, about(ETH_ADDRESS, `Address of the ${contractWords(name)} contract.`)]),
  );
const L1_ADDRESSES = record(
  "L1ContractAddresses",
  "The rollup's contracts on L1.",
  addressesOf(L1_CONTRACT_NAMES.filter(isEveryRollups)),
  addressesOf(L1_CONTRACT_NAMES.filter((name) => !isEveryRollups(name))),
);

export const encodeL1Addresses = encoder<RollupIdentity["addresses"]>(L1_ADDRESSES, (out, addresses) => {
  const members = new MemberWriter(out);
  for (const name of L1_CONTRACT_NAMES) members.add(name, addresses[name], writeText);
  members.end();
});

const PROTOCOL_CONTRACTS = ["classRegistry", "feeJuice", "instanceRegistry", "multiCallEntrypoint"] as const;

const PROTOCOL_ADDRESSES = record("ProtocolContractAddresses", "Contracts that every rollup has from its genesis on.", {
  classRegistry: about(L2_ADDRESS, "Where contract classes are published."),
  feeJuice: about(L2_ADDRESS, "The fee asset."),
  instanceRegistry: about(L2_ADDRESS, "Where contracts are deployed."),
  multiCallEntrypoint: about(L2_ADDRESS, "Makes several calls for one without an account."),
});

/** ProtocolContractAddresses: the same on every network (docs/protocol/05-rpc.md#529-node-information). */
export const encodeProtocolContracts = encoder<ContractRules>(PROTOCOL_ADDRESSES, (out, contracts) => {
  const members = new MemberWriter(out);
  for (const name of PROTOCOL_CONTRACTS) members.add(name, contracts[name], (to, word) => void to.word(word));
  members.end();
});

interface NodeInfo {
  version: string;
  contracts: ContractRules;
  identity: RollupIdentity;
  enr: string | undefined;
  realProofs: boolean;
  txGasLimits: { daGas: number; l2Gas: number };
}

function writeNodeInfo(out: JsonWriter, info: NodeInfo): void {
  const { l1ChainId, rollupVersion, addresses } = info.identity;
  out.text('{"nodeVersion":').value(info.version);
  out.text(`,"l1ChainId":${l1ChainId},"rollupVersion":${rollupVersion}`);
  if (info.enr !== undefined) out.text(',"enr":').value(info.enr);
  out.text(',"l1ContractAddresses":');
  encodeL1Addresses(out, addresses);
  out.text(',"protocolContractAddresses":');
  encodeProtocolContracts(out, info.contracts);
  out.text(`,"realProofs":${info.realProofs}`);
}

const WHAT_THE_NODE_IS = "What the node is and which rollup it follows.";
const NODE_INFO = {
  nodeVersion: about(TEXT, "Version of the network release that the node speaks for."),
  l1ChainId: about(COUNT, "Chain id of L1."),
  rollupVersion: about(COUNT, "Version of the rollup."),
  l1ContractAddresses: L1_ADDRESSES,
  protocolContractAddresses: PROTOCOL_ADDRESSES,
  realProofs: about(BOOLEAN, "Whether proofs of transactions are checked."),
};
const OWN_RECORD = { enr: about(TEXT, "The node's own record for peer discovery; absent without P2P.") };

/** NodeInfo (docs/protocol/05-rpc.md#529-node-information). */
export const encodeNodeInfo = encoder<NodeInfo>(
  record("ReleaseNodeInfo", WHAT_THE_NODE_IS, NODE_INFO, OWN_RECORD),
  (out, info) => {
    writeNodeInfo(out, info);
    out.text("}");
  },
);

const DEVELOPMENT_INFO = record(
  "NodeInfo",
  WHAT_THE_NODE_IS,
  {
    ...NODE_INFO,
    compatibleNargoVersion: about(TEXT, "Version of the contract language's compiler that fits the network's release."),
    txsLimits: record("TxsLimits", "What a transaction may ask for so that the network's blocks are sure to take it.", {
      gas: about(GAS, "Largest gas limits."),
    }),
  },
  OWN_RECORD,
);

/** NodeInfo with the version of the contract language and the gas limits. */
export const encodeDevelopmentNodeInfo = encoder<NodeInfo>(DEVELOPMENT_INFO, (out, info) => {
  writeNodeInfo(out, info);
  out.text(',"compatibleNargoVersion":').value(info.contracts.compilerVersion);
  const { daGas, l2Gas } = info.txGasLimits;
  out.text(`,"txsLimits":{"gas":{"daGas":${daGas},"l2Gas":${l2Gas}}}}`);
});
