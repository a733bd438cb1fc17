import { toHex } from "../../../protocol/bytes.ts";
import { ARCHIVE, L1_TO_L2_MESSAGE_TREE, NOTE_HASH_TREE, type TreeId } from "../../../protocol/constants.ts";
import type { Fr } from "../../../protocol/field.ts";
import type { StateAt } from "../../../world-state/types.ts";
import type { Encoder } from "../../codecs/json/encoder.ts";
import { blockHashText } from "../../codecs/json/hex-text.ts";
import { encodeMembershipWitness, encodeMessageWitness, type PathWitness } from "../../codecs/release/witness.ts";
import { DEVELOPMENT_CODECS, inBoth, RELEASE_CODECS } from "../../codecs/shared/apis.ts";
import type { BlockSelector } from "../../codecs/shared/block-parameter.ts";
import { ExecutionError } from "../../jsonrpc/errors.ts";
import { type Method, method, param } from "../../registry/registry.ts";
import { isByContents, type StateSource, stateAt, stateBefore } from "../chain/reference-block.ts";
import { byField, pathBuffers, rawInBoth, referenceBlock } from "./block-and-field.ts";

const BLOCK_HASH = {
  summary: "Proof that a block is in the archive that a later block refers to",
  nothing: "for a hash that is no earlier block",
};

/** For `immutable`: whether the state is one for ever. */
const ofState = (_witness: unknown, reference: BlockSelector): boolean => isByContents(reference);

/** The general and the raw form of a method with parameters block and field. */
function answered<R>(handle: (reference: BlockSelector, field: Fr) => R | undefined, encode: Encoder<R>) {
  return { handle, immutable: ofState, encode: { node: encode, svc: encode }, raw: rawInBoth(1, handle, encode) };
}

/** Witnesses in the append-only trees, of the leaf that holds a value. */
export function appendedWitnessMethods(services: StateSource): Method[] {
  const { world } = services;
  const paths = pathBuffers();
  /** undefined if no leaf holds the value. */
  const pathWitness = (state: StateAt, tree: TreeId, value: Uint8Array): PathWitness | undefined => {
    const index = state.findLeaf(tree, value);
    return index === undefined ? undefined : { index, path: state.siblingPath(tree, index, paths[tree]) };
  };
  const appendedWitness = (tree: TreeId) => (reference: BlockSelector, value: Fr) =>
    pathWitness(stateAt(services, reference), tree, value);

  return [
    method({
      name: "getBlockHashMembershipWitness",
      ...BLOCK_HASH,
      params: byField("blockHash", "The block that is to be in the archive.")(RELEASE_CODECS),
      handle: (reference, hash) => {
        const unknown = (given: Uint8Array) => new ExecutionError(`Block hash ${toHex(given)} not found.`);
        const before = stateBefore(services, reference, unknown);
        if (before === undefined) throw new ExecutionError("BlockNumber must be non-negative, got -1");
        return pathWitness(world.at(before), ARCHIVE, hash);
      },
      immutable: ofState,
      encode: { node: encodeMembershipWitness },
    }),
    method({
      name: "getBlockHashMembershipWitness",
      ...BLOCK_HASH,
      params: [
        referenceBlock(DEVELOPMENT_CODECS),
        param("blockHash", blockHashText, "The block that is to be in the archive."),
      ],
      handle: (reference, hash) => {
        const before = stateBefore(services, reference);
        return before === undefined ? undefined : pathWitness(world.at(before), ARCHIVE, hash);
      },
      immutable: ofState,
      encode: { svc: encodeMembershipWitness },
    }),
    method({
      name: "getNoteHashMembershipWitness",
      summary: "Proof that a note hash exists",
      params: inBoth(byField("noteHash", "The note hash, siloed and unique.")),
      ...answered(appendedWitness(NOTE_HASH_TREE), encodeMembershipWitness),
      nothing: "for a note hash that does not exist",
    }),
    method({
      name: "getL1ToL2MessageMembershipWitness",
      summary: "Proof that a message from L1 is in the tree",
      params: inBoth(byField("l1ToL2Message", "Hash of the message.")),
      ...answered(appendedWitness(L1_TO_L2_MESSAGE_TREE), encodeMessageWitness),
      nothing: "for a message that is not in the tree",
    }),
  ];
}
