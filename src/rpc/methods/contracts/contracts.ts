import { headerTimestamp } from "../../../protocol/block-header.ts";
import { instanceEncoder } from "../../codecs/development/contract.ts";
import { optional } from "../../codecs/json/codec.ts";
import { contractClassEncoder, releaseInstanceEncoder } from "../../codecs/release/contract.ts";
import { DEVELOPMENT_CODECS, inBoth, RELEASE_CODECS } from "../../codecs/shared/apis.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { always, type Method, method, never, param } from "../../registry/registry.ts";
import { type StateSource, storedBlockOf } from "../chain/reference-block.ts";

/** Contracts published in blocks (docs/protocol/05-rpc.md#528-contracts). */
export function contractMethods(services: StateSource & Pick<NodeServices, "content" | "core">): Method[] {
  const { chain, content, core } = services;
  const { api, contracts } = chain.generation;
  const encodeContractClass = contractClassEncoder(api);

  return [
    method({
      name: "getContractClass",
      summary: "Registered contract class",
      params: inBoth(({ field }) => [param("id", field, "Id of the class.")] as const),
      handle: (id) => content.contractClass(id),
      long: never,
      keep: ({ blockNumber }) => blockNumber,
      // The id is a hash of all of it.
      immutable: always,
      nothing: "for a class that no block has published",
      encode: { node: encodeContractClass, svc: encodeContractClass },
    }),
    method({
      name: "getContract",
      summary: "Deployed contract, with the class that is current at the latest or a given block",
      params: {
        node: [param("address", RELEASE_CODECS.l2Address)],
        svc: [
          param("address", DEVELOPMENT_CODECS.l2Address),
          param(
            "referenceBlock",
            optional(DEVELOPMENT_CODECS.block),
            "The block as of which the class is current; the latest by default.",
          ),
        ],
      },
      handle: (address, reference?) => {
        if (reference === undefined) return content.contractInstance(address);
        const block = chain.block(storedBlockOf(services, reference));
        const instance = block && content.contractInstance(address, headerTimestamp(block.header));
        if (instance === undefined || api.showsContractsEarly) return instance;
        return instance.blockNumber <= block!.number ? instance : undefined;
      },
      long: never,
      keep: () => "commit",
      nothing: "for an address that has no contract",
      encode: { node: releaseInstanceEncoder(contracts), svc: instanceEncoder(contracts, core) },
    }),
  ];
}
