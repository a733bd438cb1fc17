import type { ContractInstance } from "../../../archiver/content-types.ts";
import { headerTimestamp } from "../../../protocol/block-header.ts";
import { concat } from "../../../protocol/bytes.ts";
import { FR_ZERO } from "../../../protocol/field.ts";
import { encodeInstance as encodeDevelopmentInstance, type HashedInstance } from "../../codecs/development/contract.ts";
import { optional } from "../../codecs/json/codec.ts";
import { encoder } from "../../codecs/json/encoder.ts";
import { encodeContractClass, encodeInstance } from "../../codecs/release/contract.ts";
import { DEVELOPMENT_CODECS, inBoth, RELEASE_CODECS } from "../../codecs/shared/apis.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { always, type Method, method, never, param } from "../../registry/registry.ts";
import { type StateSource, stateOf } from "../chain/reference-block.ts";

/** Contracts published in blocks (docs/protocol/05-rpc.md#528-contracts). */
export function contractMethods(services: StateSource & Pick<NodeServices, "content" | "core">): Method[] {
  const { chain, content, core } = services;
  /** Hash of key `i` of an instance: x, y and the infinity flag. */
  const keyHash = ({ publicKeys }: ContractInstance, i: number) =>
    core.hash(concat(publicKeys.subarray(64 * i, 64 * (i + 1)), FR_ZERO));
  const hashed = (instance: ContractInstance): HashedInstance => ({
    instance,
    npkMHash: keyHash(instance, 0),
    ovpkMHash: keyHash(instance, 2),
    tpkMHash: keyHash(instance, 3),
  });

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
        const block = chain.block(stateOf(services, reference));
        const instance = block && content.contractInstance(address, headerTimestamp(block.header));
        return instance !== undefined && instance.blockNumber <= block!.number ? instance : undefined;
      },
      long: never,
      keep: () => "commit",
      nothing: "for an address that has no contract",
      encode: {
        node: encodeInstance,
        svc: encoder<ContractInstance>(encodeDevelopmentInstance.schema, (out, instance) =>
          encodeDevelopmentInstance(out, hashed(instance)),
        ),
      },
    }),
  ];
}
