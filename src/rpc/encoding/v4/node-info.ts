import type { RollupIdentity } from "../../../l1/types.ts";
import { fr } from "../../../protocol/field.ts";
import { CONTRACT_COMPILER_VERSION } from "../../../protocol/protocol-contracts.ts";
import { encodeText, type JsonWriter, MemberWriter } from "../json-writer.ts";

/** L1ContractAddresses in the order of the reference's answers; the optional ones are left out when they are not known. */
const L1_CONTRACTS = [
  "registryAddress",
  "slashFactoryAddress",
  "feeAssetHandlerAddress",
  "rollupAddress",
  "inboxAddress",
  "outboxAddress",
  "feeJuiceAddress",
  "stakingAssetAddress",
  "feeJuicePortalAddress",
  "coinIssuerAddress",
  "rewardDistributorAddress",
  "governanceProposerAddress",
  "governanceAddress",
  "stakingAssetHandlerAddress",
  "zkPassportVerifierAddress",
  "gseAddress",
  "dateGatedRelayerAddress",
] as const;

export function encodeL1Addresses(out: JsonWriter, addresses: RollupIdentity["addresses"]): void {
  const known: Partial<Record<(typeof L1_CONTRACTS)[number], string>> = addresses;
  const members = new MemberWriter(out);
  for (const name of L1_CONTRACTS) members.add(name, known[name], encodeText);
  members.end();
}

const PROTOCOL_CONTRACTS = { classRegistry: 3, feeJuice: 5, instanceRegistry: 2, multiCallEntrypoint: 4 } as const;

/** ProtocolContractAddresses: the same on every network (sheet 02 section 4.9). */
export function encodeProtocolContracts(out: JsonWriter): void {
  const members = new MemberWriter(out);
  for (const [name, address] of Object.entries(PROTOCOL_CONTRACTS)) {
    members.add(name, fr(address), (to, word) => void to.word(word));
  }
  members.end();
}

export interface NodeInfo {
  version: string;
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
  encodeProtocolContracts(out);
  out.text(`,"realProofs":${info.realProofs}`);
}

/** NodeInfo (sheet 02 section 4.9). */
export function encodeNodeInfo(out: JsonWriter, info: NodeInfo): void {
  writeNodeInfo(out, info);
  out.text("}");
}

/** The same with the version of the contract language and the gas limits. */
export function encodeDevelopmentNodeInfo(out: JsonWriter, info: NodeInfo): void {
  writeNodeInfo(out, info);
  out.text(',"compatibleNargoVersion":').value(CONTRACT_COMPILER_VERSION);
  const { daGas, l2Gas } = info.txGasLimits;
  out.text(`,"txsLimits":{"gas":{"daGas":${daGas},"l2Gas":${l2Gas}}}}`);
}
