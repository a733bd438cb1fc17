import { encodeBoolean, encodeNumberAs, encodeText } from "../../codecs/json/encoder.ts";
import { COUNT } from "../../codecs/json/json-schema.ts";
import {
  encodeDevelopmentNodeInfo,
  encodeL1Addresses,
  encodeNodeInfo,
  encodeProtocolContracts,
} from "../../codecs/release/node-info.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method } from "../../registry/registry.ts";
import { after } from "./eventually.ts";

const encodeCount = encodeNumberAs(COUNT);

/** Constant results depend on this block. */
const GENESIS = 0;

/**
 * Identity and readiness of the node (docs/protocol/05-rpc.md#529-node-information).
 */
export function nodeStatusMethods({
  chain,
  identity,
  status,
  p2p,
}: Pick<NodeServices, "chain" | "identity" | "status" | "p2p">): Method[] {
  const { contracts } = chain.generation;
  return [
    method({
      name: "isReady",
      summary: "Whether the node takes transactions",
      params: [],
      handle: () => status.ready(),
      encode: { node: encodeBoolean, svc: encodeBoolean },
    }),
    method({
      name: "getNodeInfo",
      summary: "Versions, chain and contract addresses of the node",
      params: [],
      handle: () =>
        after(p2p.enr(), (enr) =>
          after(status.txGasLimits(), (txGasLimits) => ({ ...status, txGasLimits, identity, contracts, enr })),
        ),
      encode: { node: encodeNodeInfo, svc: encodeDevelopmentNodeInfo },
    }),
    method({
      name: "getNodeVersion",
      summary: "Version of the network release that the node speaks for",
      params: [],
      handle: () => status.version,
      keep: () => GENESIS,
      encode: { node: encodeText, svc: encodeText },
    }),
    method({
      name: "getVersion",
      summary: "Version of the rollup",
      params: [],
      handle: () => identity.rollupVersion,
      keep: () => GENESIS,
      encode: { node: encodeCount, svc: encodeCount },
    }),
    method({
      name: "getChainId",
      summary: "Chain id of L1",
      params: [],
      handle: () => identity.l1ChainId,
      keep: () => GENESIS,
      encode: { node: encodeCount, svc: encodeCount },
    }),
    method({
      name: "getL1ContractAddresses",
      summary: "Addresses of the rollup's contracts on L1",
      params: [],
      handle: () => identity.addresses,
      keep: () => GENESIS,
      encode: { node: encodeL1Addresses, svc: encodeL1Addresses },
    }),
    method({
      name: "getProtocolContractAddresses",
      summary: "Addresses of the contracts that are part of the protocol",
      params: [],
      handle: () => contracts,
      keep: () => GENESIS,
      encode: { node: encodeProtocolContracts, svc: encodeProtocolContracts },
    }),
    method({
      name: "getEncodedEnr",
      summary: "The node's own record for peer discovery; nothing without P2P",
      params: [],
      handle: () => p2p.enr(),
      nothing: "without P2P",
      encode: { node: encodeText, p2p: encodeText, svc: encodeText },
    }),
  ];
}
