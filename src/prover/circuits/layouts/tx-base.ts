import { array, type Decoded, struct } from "../../codec/codec.ts";
import { field, fields, u32 } from "../../codec/primitives.ts";
import { ChonkVerifierOutput, ToPublic, ToRollup } from "./kernel.ts";
import { type ProofRules, proofData, recursiveProof } from "./proof-data.ts";
import { BlockConstants } from "./rollups.ts";
import { PartialState, Snapshot, SpongeBlob, U256 } from "./values.ts";
import { VmPublicInputs } from "./vm-public-inputs.ts";

export function chonkVerifierInput({ transactions }: ProofRules) {
  return struct({ hidingKernel: proofData(ToPublic, transactions.proofFields), proverId: field });
}

export const NullifierLeaf = struct({ nullifier: field, nextNullifier: field, nextIndex: U256 });
export type NullifierLeaf = Decoded<typeof NullifierLeaf>;

export const PublicDataLeaf = struct({ slot: field, value: field, nextSlot: field, nextIndex: U256 });
export type PublicDataLeaf = Decoded<typeof PublicDataLeaf>;

/** Where the effects of a private transaction go in the trees. */
const TreeDiffHints = struct(
  {
    noteHashSubtreePath: fields(36),
    /** Low leaf of each sorted nullifier as of just before its insertion; zero for unused ones. */
    lowNullifiers: array(NullifierLeaf, 64),
    lowNullifierPaths: array(struct({ leafIndex: U256, siblingPath: fields(42) }), 64),
    /** Descending; zeros last. */
    sortedNullifiers: fields(64),
    sortedNullifierIndexes: array(u32, 64),
    nullifierSubtreePath: fields(36),
    feePayerBalancePath: struct({ leafIndex: U256, siblingPath: fields(40) }),
  },
  {
    abi: [
      "noteHashSubtreePath",
      "sortedNullifiers",
      "sortedNullifierIndexes",
      "lowNullifiers",
      "lowNullifierPaths",
      "nullifierSubtreePath",
      "feePayerBalancePath",
    ],
  },
);

const PrivateBaseHints = struct(
  {
    start: PartialState,
    startSponge: SpongeBlob,
    treeDiff: TreeDiffHints,
    feePayerBalance: PublicDataLeaf,
    anchorBlockArchivePath: fields(30),
    contractClassLogFields: fields(3023),
    constants: BlockConstants,
  },
  {
    abi: [
      "constants",
      "start",
      "startSponge",
      "contractClassLogFields",
      "feePayerBalance",
      "anchorBlockArchivePath",
      "treeDiff",
    ],
  },
);

export function privateBaseInput({ transactions }: ProofRules) {
  return struct({ hidingKernel: proofData(ToRollup, transactions.proofFields), hints: PrivateBaseHints });
}
export type PrivateBaseInput = Decoded<ReturnType<typeof privateBaseInput>>;

const PublicBaseHints = struct({
  startSponge: SpongeBlob,
  lastArchive: Snapshot,
  anchorBlockArchivePath: fields(30),
  contractClassLogFields: fields(3023),
});

export function publicBaseInput({ circuits: { proofFields } }: ProofRules) {
  return struct({
    chonkVerifier: proofData(ChonkVerifierOutput, proofFields.rollup),
    vm: VmPublicInputs,
    vmProof: recursiveProof(proofFields.vm),
    hints: PublicBaseHints,
  });
}
export type PublicBaseInput = Decoded<ReturnType<typeof publicBaseInput>>;
