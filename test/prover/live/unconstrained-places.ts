import type { BinaryJobType } from "../../../src/prover/jobs/job-input.ts";

/**
 * Places whose change has no effect by itself (docs/protocol/13-proving.md#1313-places-that-circuits-do-not-constrain).
 */
interface Unconstrained {
  readonly types: RegExp;
  /** Of the path, with ` = 0` behind it if the value is zero. */
  readonly path: RegExp;
  readonly why: string;
}

const CHECKPOINT_ROLLUP = /^(CHECKPOINT_MERGE|ROOT)_ROLLUP$/;
const UNUSED = String.raw`\[(first unused|last)\]`;

export const UNCONSTRAINED: readonly Unconstrained[] = [
  {
    types: /./,
    path: /\.proof\[|\.vk_data\.vk\.key\[/,
    why: "verification of the proof, which a witness solver leaves out",
  },
  {
    types: /^PRIVATE_TX_BASE_ROLLUP$/,
    path: new RegExp(`nullifier_predecessor_(preimages|membership_witnesses)${UNUSED}.* = 0$`),
    why: "hint for a nullifier that there is not",
  },
  {
    types: /^PUBLIC_TX_BASE_ROLLUP$/,
    path: /avm_proof_data\.public_inputs\.(end_tree_snapshots\.l1_to_l2_message_tree\.\w+|end_gas_used\.da_gas)$/,
    why: "proof of the VM: tree of messages at the end, DA gas",
  },
  {
    types: /^(BLOCK|CHECKPOINT)_ROOT_/,
    path: /rollups?(\[1\])?\.public_inputs\.end_sponge_blob\.sponge\.cache\[[12]\]$/,
    why: "child's proof: cached word that is not in use",
  },
  {
    types: /^CHECKPOINT_ROOT_/,
    path: /rollups?(\[1\])?\.public_inputs\.end_state\./,
    why: "child's proof: trees after the last block, which its header has",
  },
  {
    types: /^CHECKPOINT_ROOT_/,
    path: /hints\.blob_commitments\[last\]\.([xy]\.limbs\[\d\] = 0|is_infinity)$/,
    why: "hint for a blob that there is not",
  },
  {
    types: /^CHECKPOINT_ROOT_/,
    path: /hints\.start_blob_accumulator\.c_acc\.[xy]\.limbs\[\d\] = 0$/,
    why: "hint: coordinate of the point at infinity",
  },
  {
    types: CHECKPOINT_ROLLUP,
    path: new RegExp(`public_inputs\\.(checkpoint_header_hashes|fees)${UNUSED}.* = 0$`),
    why: "child's proof: list behind its last checkpoint",
  },
  {
    types: CHECKPOINT_ROLLUP,
    path: /\[0\]\.public_inputs\.previous_archive\.next_available_leaf_index$/,
    why: "child's proof: size of the archive before the epoch, of which L1 takes the root",
  },
  {
    types: /^ROOT_ROLLUP$/,
    path: /\[1\]\.public_inputs\.new_(archive|out_hash)\.next_available_leaf_index$/,
    why: "child's proof: sizes after the epoch, of which L1 takes the roots",
  },
  {
    types: CHECKPOINT_ROLLUP,
    path: /\[0\]\.public_inputs\.start_blob_accumulator\.c_acc\.[xy]\.limbs\[\d\] = 0$/,
    why: "child's proof: coordinate of the point at infinity",
  },
  {
    types: /^ROOT_ROLLUP$/,
    path: /\[1\]\.public_inputs\.end_blob_accumulator\.c_acc\.y\.limbs\[\d\]$/,
    why: "child's proof: second coordinate of C, of which L1 takes the sign",
  },
  {
    types: /^ROOT_ROLLUP$/,
    path: /\[1\]\.public_inputs\.end_blob_accumulator\.gamma_pow_acc\.limbs\[\d\]$/,
    why: "child's proof: power of gamma for a next blob",
  },
];

/** Why a place has no effect. Undefined for a place that should have one. */
export function whyUnconstrained(type: BinaryJobType, name: string): string | undefined {
  return UNCONSTRAINED.find(({ types, path }) => types.test(type) && path.test(name))?.why;
}
