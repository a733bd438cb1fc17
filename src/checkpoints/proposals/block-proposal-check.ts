import { ProposedBlockRefusedError } from "../../archiver/errors.ts";
import type { BlockRecord } from "../../archiver/tables/records.ts";
import type { ChainReader } from "../../archiver/types.ts";
import { oneAtATime } from "../../events/one-at-a-time.ts";
import { headerSlotNumber, headerSnapshot, headerTimestamp, headerTotalMana } from "../../protocol/block-header.ts";
import { equal, toHex } from "../../protocol/bytes.ts";
import type { BlockProposal } from "../../protocol/consensus/block-proposal.ts";
import { ARCHIVE, MAX_FIELDS_PER_CHECKPOINT } from "../../protocol/constants.ts";
import type { Fr } from "../../protocol/field.ts";
import { inHash } from "../../protocol/sha-trees.ts";
import { type L1Constants, slotTimestamp } from "../../protocol/time.ts";
import type { ProposedBlock } from "../checkpoint-terms.ts";
import { type AwaitedChain, ChainWait } from "./chain-wait.ts";
import { proposedCheckpoint } from "./position.ts";
import type { CollectedTx, ProposalTxs } from "./proposal-txs.ts";
import { type ProposalVerdict, type RefusedProposal, refused } from "./proposal-verdict.ts";
import { type ReexecutionServices, reexecute } from "./reexecute.ts";

export interface BlockProposalParts extends Omit<ReexecutionServices, "chain"> {
  chain: Pick<ChainReader, "block" | "blockBody" | "blockNumberByArchive">;
  constants: Pick<L1Constants, "l1GenesisTime" | "slotDuration">;
  genesisArchiveRoot: Uint8Array;
  sync: AwaitedChain & {
    /** The last slot that L1 can no longer change; undefined before anything was read from L1. */
    syncedSlot(): number | undefined;
    /** Resolves once stored; rejects when the block does not continue the chain. */
    addProposedBlock(block: ProposedBlock): Promise<void>;
  };
  /** Leaves of a checkpoint's messages from L1. */
  messages(checkpointNumber: number): Fr[];
  /** Whether the escape hatch is open in a slot. */
  hatchOpen(slot: number): Promise<boolean>;
  txs: ProposalTxs;
  /** Told of each execution; for metrics. */
  record?: ReexecutionRecord;
  /** Unix milliseconds. */
  now(): number;
}

/** Is told of the executions of proposed blocks. */
export interface ReexecutionRecord {
  executed(block: { ms: number; mana: number; txs: number }): void;
  failed(): void;
}

export interface BlockProposalOptions {
  /** Whether to execute the blocks of a slot. Otherwise a proposal is valid once its txs were collected. */
  reexecutes(slot: number): boolean | Promise<boolean>;
  /** Whether executed blocks become the node's proposed blocks. */
  stores: boolean;
}

/** What a proposer says of its block. */
export type ProposedHead = Pick<BlockProposal, "header" | "indexWithinCheckpoint" | "inHash" | "archiveRoot">;

export interface ReceivedProposal {
  proposal: ProposedHead;
  /** 32 bytes each, in the order of execution. */
  txHashes: readonly Uint8Array[];
  /** The peer that sent it, as text. */
  peer: string | undefined;
  /** Txs that came with it. */
  embedded: readonly CollectedTx[];
  /**
   * Repeats the checks of arrival that do not need the attestation pool: sender, proposer of the slot, window of slots.
   * Returns the broken rule.
   */
  brokenRule(): Promise<string | undefined>;
  /** Called when a step is done. */
  done?(step: "collected" | "executed"): void;
}

/** Proposals of one slot that are checked or wait at once. A slot has one for every few seconds. */
const MAX_PER_SLOT = 32;
/** Every tx has its first word, hash and fee, one nullifier and one public data write in the blobs. */
const MIN_FIELDS_PER_TX = 6;
/** More txs do not fit the blobs of a checkpoint. */
const MAX_TXS = Math.floor(MAX_FIELDS_PER_CHECKPOINT / MIN_FIELDS_PER_TX);

/**
 * Checks block proposals of others: places each in the chain, collects its txs, executes it, compares the result and
 * stores it as a proposed block (docs/protocol/10-peers.md#1016-block-proposals).
 */
export class BlockProposalCheck {
  readonly #parts: BlockProposalParts;
  readonly #options: BlockProposalOptions;
  readonly #execution = oneAtATime();
  readonly #wait: ChainWait;
  /** Proposals that are being checked, by slot. */
  readonly #running = new Map<number, number>();

  constructor(parts: BlockProposalParts, options: BlockProposalOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#wait = new ChainWait(parts.sync, parts.now);
  }

  /** Ends waits at once; a proposal that is being executed ends at its next tx. */
  stop(): void {
    this.#wait.stop();
  }

  /** Never rejects because of what the proposal says. Rejects when the archiver refuses the executed block. */
  async check(received: ReceivedProposal): Promise<ProposalVerdict> {
    const slot = headerSlotNumber(received.proposal.header);
    const running = this.#running.get(slot) ?? 0;
    if (running >= MAX_PER_SLOT) {
      return refused("unknown_error", `${running} other proposals of slot ${slot} are being checked`);
    }
    this.#running.set(slot, running + 1);
    try {
      return await this.#check(received);
    } finally {
      const left = (this.#running.get(slot) ?? 1) - 1;
      if (left > 0) this.#running.set(slot, left);
      else this.#running.delete(slot);
    }
  }

  async #check(received: ReceivedProposal): Promise<ProposalVerdict> {
    const { proposal, txHashes } = received;
    const { header, archiveRoot } = proposal;
    const { hatchOpen, constants, sync } = this.#parts;
    const slot = headerSlotNumber(header);
    const rule = formFault(received, constants) ?? (await received.brokenRule());
    if (rule !== undefined) return refused("invalid_proposal", rule);
    const isHatchOpen = await hatchOpen(slot);
    const deadline = slotTimestamp(slot + 1, constants) * 1000;

    const isSynced = (): boolean => (slot === 0 ? true : (sync.syncedSlot() ?? -1) + 1 >= slot);
    if (!(await this.#wait.until(isSynced, deadline))) {
      return refused("block_source_not_synced", `the chain is not synced up to slot ${slot - 1}`);
    }
    const parent = await this.#parent(proposal, deadline);
    if (parent === undefined) {
      const { root } = headerSnapshot(header, ARCHIVE);
      return refused("parent_block_not_found", `no block has the archive root ${toHex(root)}`);
    }
    const parentSlot = headerSlotNumber(parent.header);
    if (parentSlot > slot) {
      return refused("parent_block_wrong_slot", `the parent is of slot ${parentSlot}, the proposal of slot ${slot}`);
    }
    if (this.#parts.chain.block(parent.number + 1) !== undefined) {
      return refused("block_number_already_exists", `the chain has a block ${parent.number + 1}`);
    }
    const reexecutes = !isHatchOpen && (await this.#options.reexecutes(slot));
    const place = reexecutes ? this.#place(proposal, parent) : undefined;
    if (place !== undefined && "fault" in place) return place;
    const { peer, embedded } = received;
    const { txs, missing } = await this.#parts.txs.get({
      hashes: txHashes,
      archive: archiveRoot,
      slot,
      peer,
      embedded,
      deadline,
      signal: this.#wait.signal,
    });
    if (missing.length === 0) received.done?.("collected");
    if (isHatchOpen) return refused("invalid_proposal", `the escape hatch is open in slot ${slot}`);
    if (place === undefined) return { valid: true, block: undefined };
    if (missing.length > 0) {
      const [first] = missing;
      return refused("txs_not_available", `${missing.length} txs are missing, first ${toHex(first)}`);
    }
    const verdict = await this.#execution(() => this.#execute({ proposal, parent, txs, ...place }, deadline));
    if (verdict.valid) received.done?.("executed");
    return verdict;
  }

  #place(proposal: ProposedHead, parent: BlockRecord): { checkpointNumber: number; messages: Fr[] } | RefusedProposal {
    const checkpointNumber = proposedCheckpoint(proposal, parent);
    if (typeof checkpointNumber !== "number") return checkpointNumber;
    const messages = this.#parts.messages(checkpointNumber);
    const expected = inHash(messages);
    if (!equal(proposal.inHash, expected)) {
      const text = `the in hash of checkpoint ${checkpointNumber} is ${toHex(expected)}, not ${toHex(proposal.inHash)}`;
      return refused("in_hash_mismatch", text);
    }
    return { checkpointNumber, messages };
  }

  async #execute(placed: Parameters<typeof reexecute>[1], deadline: number): Promise<ProposalVerdict> {
    const { now, record } = this.#parts;
    if (this.#wait.signal.aborted) return refused("timeout", "the node stops");
    const began = performance.now();
    // The VM reads the system's clock, which the node's own may differ from.
    const verdict = await reexecute(this.#parts, placed, {
      deadline: Date.now() + deadline - now(),
      interrupted: () => this.#wait.signal.aborted,
    });
    if (!verdict.valid) record?.failed();
    else if (verdict.block !== undefined) {
      const { header, txCount } = verdict.block.record;
      record?.executed({ ms: performance.now() - began, mana: headerTotalMana(header), txs: txCount });
    }
    if (this.#options.stores && verdict.valid && verdict.block !== undefined) {
      return (await this.#store(verdict.block)) ?? verdict;
    }
    return verdict;
  }

  async #store(block: ProposedBlock): Promise<RefusedProposal | undefined> {
    try {
      await this.#parts.sync.addProposedBlock(block);
      return undefined;
    } catch (error) {
      // Another block was stored while this one was executed, such as one of this node's own for a slot that another
      // node of its group proposes for.
      if (error instanceof ProposedBlockRefusedError && error.rule === "number") {
        return refused("block_number_already_exists", error.message);
      }
      throw error;
    }
  }

  async #parent({ header }: ProposedHead, deadline: number): Promise<BlockRecord | undefined> {
    const { chain, genesisArchiveRoot } = this.#parts;
    const { root } = headerSnapshot(header, ARCHIVE);
    const find = (): BlockRecord | undefined => {
      const number = equal(root, genesisArchiveRoot) ? 0 : chain.blockNumberByArchive(root);
      return number === undefined ? undefined : chain.block(number);
    };
    await this.#wait.until(() => find() !== undefined, deadline);
    return find();
  }
}

/** A rule that no block of any chain can break. */
function formFault(
  { proposal: { header }, txHashes }: ReceivedProposal,
  constants: BlockProposalParts["constants"],
): string | undefined {
  if (txHashes.length > MAX_TXS) return `${txHashes.length} txs do not fit a checkpoint, which takes ${MAX_TXS}`;
  const slot = headerSlotNumber(header);
  const expected = slotTimestamp(slot, constants);
  const timestamp = headerTimestamp(header);
  return timestamp === BigInt(expected) ? undefined : `its timestamp is ${timestamp}, that of its slot ${expected}`;
}
