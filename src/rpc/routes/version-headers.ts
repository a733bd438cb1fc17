import type { Generation } from "../../protocol/generations/generation.ts";
import type { Header } from "../jsonrpc/answer.ts";

/**
 * Version identifiers that a client compares with its own, textually
 * (docs/protocol/05-rpc.md#57-headers-and-compression and docs/protocol/05-rpc.md#538-published-clients). The package
 * version is that of the network release the node speaks for.
 */
export function versionHeaders(versions: {
  l1ChainId: number;
  /** 0x text. */
  l1RollupAddress: string;
  rollupVersion: number;
  generation: Pick<Generation, "contracts" | "api">;
}): Header[] {
  return [
    ["x-aztec-l1ChainId", String(versions.l1ChainId)],
    ["x-aztec-l1RollupAddress", versions.l1RollupAddress.toLowerCase()],
    ["x-aztec-rollupVersion", String(versions.rollupVersion)],
    ...releaseHeaders(versions.generation),
  ];
}

/** Version identifiers of a service that may work for any rollup of its release. */
export function releaseHeaders({ contracts, api }: Pick<Generation, "contracts" | "api">): Header[] {
  return [
    ["x-aztec-l2ProtocolContractsHash", contracts.protocolContractsHash],
    ["x-aztec-l2CircuitsVkTreeRoot", contracts.vkTreeRoot],
    ["x-aztec-packageVersion", api.release],
  ];
}
