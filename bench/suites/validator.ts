import { setTimeout as sleep } from "node:timers/promises";
import type { HashedTx } from "../../src/execution/executed-tx.ts";
import { Kzg } from "../../src/l1/blobs/kzg.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { slotTimestamp } from "../../src/protocol/time.ts";
import { COMMITTEE_NETWORK, type CommitteeL1, startCommitteeL1 } from "../lib/committee-l1.ts";
import { attestationsOf, networkTxs } from "../lib/gossip-messages.ts";
import {
  type GossipNode,
  type GossipNodeOptions,
  startOwnGossipNode,
  startReferenceGossipNode,
} from "../lib/gossip-nodes.ts";
import type { Comparison, Figure, SuiteResult } from "../lib/measurement.ts";
import { cpuTimeOf } from "../lib/server-process.ts";
import { slotProposals } from "../lib/slot-proposals.ts";
import type { SuiteContext } from "../lib/suite.ts";
import type { RowId } from "../lib/targets.ts";
import { MeasuredValidator, SteadyTxs } from "../lib/validator-load.ts";

const SLOT_MS = Number(COMMITTEE_NETWORK.AZTEC_SLOT_DURATION) * 1000;
const SLOTS = { full: 12, quick: 3 };
/** A validator that has just started signs for no slot that an earlier process could have signed for. */
const WARM_UP_SLOTS = 3;
/** A slot has two L1 blocks. The second drops its proposed blocks, because no later one can bring their checkpoint. */
const BLOCK_AT_MS = 600;
const CHECKPOINT_AT_MS = 2_000;
const ATTESTATIONS_AT_MS = 5_000;
const TXS_PER_SECOND = 20;
const TXS_PER_BLOCK = 8;

interface Validators {
  l1: CommitteeL1;
  kzg: Kzg;
  ours: MeasuredValidator;
  theirs: MeasuredValidator | undefined;
}

/** Milliseconds of a slot's attestations; undefined if there was none. */
interface Attested {
  ours: number | undefined;
  theirs: number | undefined;
}

interface Phase {
  attested: Attested[];
  /** CPU milliseconds of each slot. */
  cpu: { ours: number; theirs: number | undefined }[];
}

const all = ({ ours, theirs }: Validators): MeasuredValidator[] => (theirs === undefined ? [ours] : [ours, theirs]);

/**
 * Proposes a checkpoint in a slot, to one validator after the other, and sends the attestations of the others.
 * Undefined if a validator is the slot's proposer itself.
 */
async function playSlot(
  validators: Validators,
  slot: number,
  blocks: readonly (readonly HashedTx[])[],
): Promise<Attested | undefined> {
  const { l1, kzg, ours, theirs } = validators;
  const until = (ms: number) => sleep(slotTimestamp(slot, l1.identity.constants) * 1000 + ms - Date.now());
  const { proposer, members } = await l1.committee(slot);
  const own = new Set(all(validators).map(({ address }) => address));
  if (proposer === undefined || own.has(toHex(proposer))) {
    await until(ATTESTATIONS_AT_MS);
    return undefined;
  }
  const proposals = await slotProposals(l1, kzg, slot, blocks);
  const signed = await attestationsOf(l1, slot, proposals.proposal);
  const others = signed.filter((_, i) => !own.has(toHex(members[i])));
  await until(BLOCK_AT_MS);
  for (const block of proposals.blocks) for (const each of all(validators)) each.send("block_proposal", block);
  await until(CHECKPOINT_AT_MS);
  const attested: Attested = { ours: undefined, theirs: undefined };
  for (const side of slot % 2 === 0 ? (["ours", "theirs"] as const) : (["theirs", "ours"] as const)) {
    attested[side] = await { ours, theirs }[side]?.attest(proposals);
  }
  await until(ATTESTATIONS_AT_MS);
  for (const each of all(validators)) for (const message of others) each.send("checkpoint_attestation", message);
  return attested;
}

async function play(
  validators: Validators,
  slots: number,
  blocksOf: () => readonly (readonly HashedTx[])[],
): Promise<Phase> {
  const { l1, ours, theirs } = validators;
  const phase: Phase = { attested: [], cpu: [] };
  const cpu = () => ({ ours: cpuTimeOf(ours.node.process.pid), theirs: theirs && cpuTimeOf(theirs.node.process.pid) });
  for (let left = slots; left > 0; left--) {
    const slot = l1.slot() + 1;
    await sleep(slotTimestamp(slot, l1.identity.constants) * 1000 - Date.now());
    const before = cpu();
    const attested = await playSlot(validators, slot, blocksOf());
    await sleep(slotTimestamp(slot, l1.identity.constants) * 1000 + SLOT_MS - 100 - Date.now());
    const after = cpu();
    // On a busy machine a validator and the suite may lose each other; what follows would be the cost of no messages.
    if (!all(validators).every((each) => each.isConnected())) break;
    const theirCpu =
      after.theirs === undefined || before.theirs === undefined ? undefined : after.theirs - before.theirs;
    phase.cpu.push({ ours: after.ours - before.ours, theirs: theirCpu });
    if (attested !== undefined) phase.attested.push(attested);
  }
  return phase;
}

/**
 * A comparison over the slots in which both sides have a value, or without a reference a figure. Undefined without any:
 * on a busy machine a side may miss its deadline in every slot.
 */
function measurement(
  row: RowId,
  peer: "reference" | "reference-cpu",
  found: readonly { ours: number | undefined; theirs: number | undefined }[],
  { withReference, note }: { withReference: boolean; note: string },
): Comparison | Figure | undefined {
  if (!withReference) {
    const values = found.flatMap(({ ours }) => ours ?? []);
    if (values.length === 0) return undefined;
    return { kind: "figure", row, name: "this node", unit: "ms", values, note };
  }
  const pairs = found.flatMap(({ ours, theirs }) =>
    ours === undefined || theirs === undefined ? [] : [{ ours, theirs }],
  );
  if (pairs.length === 0) return undefined;
  return { kind: "comparison", row, peer, unit: "ms", better: "less", pairs, note };
}

async function measured({ quick, progress, reference }: SuiteContext, validators: Validators): Promise<SuiteResult> {
  const { l1 } = validators;
  const slots = quick ? SLOTS.quick : SLOTS.full;
  const report = (what: string, { attested, cpu }: Phase): void => {
    const text = (values: readonly (number | undefined)[]) =>
      values.map((ms) => (ms === undefined ? "none" : Math.round(ms))).join(" ");
    for (const side of ["ours", "theirs"] as const)
      progress(
        `${what}, ${side}: attested after ms ${text(attested.map((a) => a[side]))}; CPU ms ${text(cpu.map((c) => c[side]))}`,
      );
  };
  progress("waiting for the first attestations");
  for (let slot = 0; slot < WARM_UP_SLOTS; slot++) await play(validators, 1, () => [[]]);

  const idle = await play(validators, slots, () => [[]]);
  report("an empty block", idle);

  const seconds = ((WARM_UP_SLOTS + slots + 2) * SLOT_MS) / 1000;
  const txs = networkTxs(l1, "steady", seconds * TXS_PER_SECOND);
  const steady = new SteadyTxs(all(validators), txs, TXS_PER_SECOND);
  const blocks = () => {
    const latest = steady.latest(2 * TXS_PER_BLOCK);
    return [latest.slice(0, TXS_PER_BLOCK), latest.slice(TXS_PER_BLOCK)];
  };
  let busy: Phase;
  try {
    await play(validators, 1, () => [[]]);
    busy = await play(validators, slots, blocks);
  } finally {
    await steady.stop();
  }
  report(`${TXS_PER_SECOND} tx/s, ${TXS_PER_BLOCK} txs in each of two blocks`, busy);

  const withReference = reference !== undefined;
  const ofSlot = `slots of ${SLOT_MS / 1000} s, each with a checkpoint proposal and the committee's attestations`;
  return {
    measurements: [
      measurement("attesting", "reference", idle.attested, { withReference, note: "one empty block" }),
      measurement("attesting-last-block", "reference", busy.attested, {
        withReference,
        note: `two blocks of ${TXS_PER_BLOCK} txs, ${TXS_PER_SECOND} tx/s gossiped`,
      }),
      measurement("validator-cpu", "reference-cpu", idle.cpu, { withReference, note: ofSlot }),
      measurement("validator-cpu-20", "reference-cpu", busy.cpu, { withReference, note: ofSlot }),
    ].filter((found) => found !== undefined),
  };
}

/**
 * Measures validators, one attester of a committee of 48 each. The suite holds the other keys: it proposes and attests
 * with them, and tells both validators the same.
 */
export async function validatorSuite(context: SuiteContext): Promise<SuiteResult> {
  const { reference, progress } = context;
  progress("starting the nodes");
  const l1 = await startCommitteeL1();
  const kzg = new Kzg();
  kzg.load("library");
  const running: GossipNode[] = [];
  const joined: MeasuredValidator[] = [];
  const keys = [...l1.keys];
  const started = async (start: (options: GossipNodeOptions) => Promise<GossipNode>): Promise<MeasuredValidator> => {
    const [address, attester] = keys[running.length];
    const node = await start({ attester });
    running.push(node);
    const validator = await MeasuredValidator.join(l1, node, address.toLowerCase());
    joined.push(validator);
    return validator;
  };
  try {
    const ours = await started((options) => startOwnGossipNode(l1, options));
    const theirs = reference && (await started((options) => startReferenceGossipNode(reference, l1, options)));
    return await measured(context, { l1, kzg, ours, theirs });
  } finally {
    await Promise.all(joined.map((validator) => validator.stop()));
    await Promise.all(running.map(({ process }) => process.stop()));
    await kzg.close();
    await l1.stop();
  }
}
