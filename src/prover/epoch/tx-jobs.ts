import { blockHash } from "../../core/derive/block-hash.ts";
import { headerBlockNumber } from "../../protocol/block-header.ts";
import { equal, toHex } from "../../protocol/bytes.ts";
import { ARCHIVE, CONTRACT_CLASS_LOG_FIELDS } from "../../protocol/constants.ts";
import { isForPublic } from "../../protocol/tx/accumulated-data.ts";
import { TX_DATA_AT } from "../../protocol/tx/kernel-output.ts";
import type { TxEffect } from "../../protocol/tx-effect.ts";
import type { Fork } from "../../world-state/fork.ts";
import { ConstraintError, requireEqual } from "../circuits/layouts/constraint-error.ts";
import type { ProofData } from "../circuits/layouts/proof-data.ts";
import { BlockConstants, type TxRollup } from "../circuits/layouts/rollups.ts";
import { PartialState, SpongeBlob } from "../circuits/layouts/values.ts";
import type { TreeSnapshots } from "../circuits/layouts/vm-public-inputs.ts";
import { absorb } from "../circuits/sponge.ts";
import { clientProof } from "./client-proof.ts";
import type { EpochContext } from "./epoch-context.ts";
import type { PublicPart, TxToProve } from "./epoch-types.ts";
import { applyPrivateTx, applyPublicTx, partialState } from "./tree-hints.ts";

/** Where a transaction stands. */
interface TxPlace {
  readonly constants: BlockConstants;
  readonly startSponge: SpongeBlob;
  /** State before the transaction; its effect is applied to it. */
  readonly fork: Fork;
  /** Cancels the jobs of the checkpoint. */
  readonly signal: AbortSignal;
}

/** The start of a transaction's proof. */
interface TxProof {
  /** Resolves with the proof of its base circuit. */
  readonly proof: Promise<ProofData<TxRollup>>;
  readonly endSponge: SpongeBlob;
}

/**
 * Makes the hints of a transaction and hands out its jobs. Throws a ConstraintError or WorldStateError for an effect
 * that is not of this transaction at this place.
 */
export function proveTx(context: EpochContext, given: TxToProve, place: TxPlace): TxProof {
  const { constants, fork, startSponge } = place;
  const anchorBlockArchivePath = anchorPath(context, given, fork);
  const start = partialState(fork);
  const before: Before = { ...place, start, anchorBlockArchivePath };
  const prove = isForPublic(given.tx.data) ? provePublicTx : provePrivateTx;
  const endSponge = absorb(context.core, startSponge, given.effect.words);
  const proof = prove(context, given, before, (output) => {
    requireEqual(BlockConstants, output.constants, constants, "constants", "those of the block");
    requireEqual(PartialState, output.startTrees, start, "startTrees", "the trees before the transaction");
    requireEqual(PartialState, output.endTrees, end, "endTrees", "the trees after the transaction");
    requireEqual(SpongeBlob, output.endSponge, endSponge, "endSponge", "the sponge after the transaction");
  });
  const end = partialState(fork);
  return { proof, endSponge };
}

interface Before extends TxPlace {
  readonly start: PartialState;
  readonly anchorBlockArchivePath: Uint8Array;
}

/** Throws a ConstraintError for an output that is not of this transaction. */
type Check = (output: TxRollup) => void;

/** The anchor is a block before this one. */
function anchorPath({ core }: EpochContext, { tx, hash }: TxToProve, fork: Fork): Uint8Array {
  const anchor = tx.data.subarray(TX_DATA_AT.anchorHeader, TX_DATA_AT.chainId);
  const number = headerBlockNumber(anchor);
  if (number >= fork.size(ARCHIVE) || !equal(fork.leafAt(ARCHIVE, number), blockHash(core, anchor))) {
    throw new ConstraintError(`tx ${toHex(hash)}`, `its anchor, block ${number}, must be in the archive`);
  }
  return fork.siblingPath(ARCHIVE, number);
}

function provePrivateTx(
  { generation, jobs }: EpochContext,
  { tx, hash, effect }: TxToProve,
  { fork, start, startSponge, constants, anchorBlockArchivePath, signal }: Before,
  check: Check,
): Promise<ProofData<TxRollup>> {
  const treeHints = applyPrivateTx(fork, effect);
  if (treeHints === undefined) {
    throw new ConstraintError(`tx ${toHex(hash)}`, "must write the fee payer's balance and no other public data");
  }
  const contractClassLogFields = classLogFields(effect);
  const hints = { start, startSponge, ...treeHints, anchorBlockArchivePath, contractClassLogFields, constants };
  return jobs.prove("PRIVATE_TX_BASE_ROLLUP", { hidingKernel: clientProof(generation, tx), hints }, { signal, check });
}

function provePublicTx(
  { generation, jobs }: EpochContext,
  { tx, hash, effect, publicPart }: TxToProve,
  { fork, start, startSponge, constants, anchorBlockArchivePath, signal }: Before,
  check: Check,
): Promise<ProofData<TxRollup>> {
  if (publicPart === undefined) throw new ConstraintError(`tx ${toHex(hash)}`, "must have been executed again");
  applyPublicTx(fork, effect);
  const end = partialState(fork);
  const proverId = constants.proverId;
  const chonkVerifier = jobs.prove(
    "PUBLIC_CHONK_VERIFIER",
    { hidingKernel: clientProof(generation, tx), proverId },
    { signal },
  );
  const part = jobs.follow(async () => {
    const executed = await publicPart;
    requireTrees(executed, start, end, toHex(hash));
    return executed;
  }, signal);
  const vmProof = jobs.follow(async () => {
    const { vmInput } = await part;
    return jobs.proveVm(() => vmInput, signal);
  }, signal);
  const input = async () => {
    const { publicInputs: vm } = await part;
    const hints = {
      startSponge,
      lastArchive: constants.lastArchive,
      anchorBlockArchivePath,
      contractClassLogFields: classLogFields(effect),
    };
    return { chonkVerifier: await chonkVerifier, vm, vmProof: await vmProof, hints };
  };
  return jobs.prove("PUBLIC_TX_BASE_ROLLUP", input(), { signal, check });
}

/**
 * Throws a ConstraintError if a transaction was executed on another state than that of the chain, or with another end.
 */
function requireTrees({ publicInputs }: PublicPart, start: PartialState, end: PartialState, hash: string): void {
  const of = ({ noteHashTree, nullifierTree, publicDataTree }: TreeSnapshots): PartialState => ({
    noteHashTree,
    nullifierTree,
    publicDataTree,
  });
  const { startTrees, endTrees } = publicInputs;
  requireEqual(PartialState, of(startTrees), start, `tx ${hash}: startTrees`, "the trees before the transaction");
  requireEqual(PartialState, of(endTrees), end, `tx ${hash}: endTrees`, "the trees after the transaction");
}

/** Fields of the transaction's contract class log, if it has one, and zeros. */
function classLogFields({ contractClassLogs }: TxEffect): Uint8Array {
  const fields = new Uint8Array(CONTRACT_CLASS_LOG_FIELDS * 32);
  for (const log of contractClassLogs) fields.set(log.fields);
  return fields;
}
