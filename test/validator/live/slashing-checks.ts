import type { Checks } from "../../world/live/checks.ts";
import {
  epochOf,
  type LiveOffense,
  type OffenseWatch,
  offensesOf,
  slotOf,
  textOf,
  type Watcher,
} from "./offense-watch.ts";
import type { CastVote, SlashingChain } from "./slashing-chain.ts";

const INACTIVITY = 3;
const DUPLICATE_PROPOSAL = 8;
const DUPLICATE_ATTESTATION = 9;

/** Lower-case 0x text. */
export interface Guilty {
  /** Signed two proposals for a slot. */
  offender: string;
  /** Was away for an epoch, if anybody. */
  absent: string | undefined;
}

/** The honest nodes have the same list of the round that is voted on now: `current`, and ours also by its number. */
export async function checkVotedLists(watchers: readonly Watcher[], round: number, checks: Checks): Promise<void> {
  await checks.of(`all honest nodes have the same offenses to vote on in round ${round}`, async () => {
    const own = watchers.filter(({ isOurs }) => isOurs);
    const answers = await Promise.all([
      ...watchers.map((node) => offensesOf(node, "current")),
      ...own.map((node) => offensesOf(node, String(round))),
    ]);
    const lists = new Set(answers.map((list) => JSON.stringify(list.map(textOf))));
    return { passed: lists.size === 1, figures: [...lists].join(" but ") };
  });
}

export interface OffenseFacts {
  /** The honest nodes. */
  watchers: readonly Watcher[];
  offenses: OffenseWatch;
  guilty: Guilty;
  epochSlots: number;
  /** The slot from which on all nodes were there. Earlier offenses are left out. */
  since: number;
}

/** The honest nodes recorded what the guilty did, all the same, and nothing of others. */
export function checkOffenses(facts: OffenseFacts, checks: Checks): void {
  const { watchers, offenses, guilty, epochSlots, since } = facts;
  const { offender, absent } = guilty;
  const of = (watcher: Watcher) => offenses.of(watcher).filter((offense) => slotOf(offense, epochSlots) >= since);
  for (const watcher of watchers) {
    const all = of(watcher);
    const slots = (validator: string, type: number) =>
      all
        .filter((offense) => offense.validator === validator && offense.offenseType === type)
        .map(({ epochOrSlot }) => epochOrSlot);
    const figures = {
      duplicateProposals: slots(offender, DUPLICATE_PROPOSAL),
      duplicateAttestations: slots(offender, DUPLICATE_ATTESTATION),
      ...(absent !== undefined && { inactivity: slots(absent, INACTIVITY) }),
    };
    const passed = figures.duplicateProposals.length > 0 && figures.inactivity?.length !== 0;
    const what = absent === undefined ? "the equivocations" : "the equivocations and the inactivity";
    checks.add(`${watcher.name} recorded ${what}`, passed, figures);
    const others = all.filter(({ validator }) => validator !== offender && validator !== absent);
    checks.add(`${watcher.name} accuses nobody else`, others.length === 0, others.map(textOf).join("; "));
  }
  const lists = watchers.map((watcher) => of(watcher).map(textOf));
  const all = [...new Set(lists.flat())];
  const unequal = all.filter((offense) => !lists.every((list) => list.includes(offense)));
  checks.add("the honest nodes recorded the same offenses", unequal.length === 0, { offenses: all.length, unequal });
}

export interface ExecutionFacts {
  chain: SlashingChain;
  guilty: Guilty;
  /** What the node of a validator recorded. */
  knownTo(validator: string): readonly LiveOffense[];
  epochSlots: number;
  /** Start of a slot, in Unix milliseconds. */
  startOf(slot: number): number;
  /** Stakes of all validators before the run. */
  before: ReadonlyMap<string, bigint>;
  /** Names an account, as "our 2" or "reference 1". */
  nameOf(address: string): string;
}

/** L1 executed rounds with a quorum of votes, each once, and took from the guilty what the voters held against them. */
export async function checkExecutions(facts: ExecutionFacts, checks: Checks): Promise<void> {
  const { chain, guilty, nameOf, before } = facts;
  const [votes, executions] = await Promise.all([chain.votes(), chain.executions()]);
  for (const { round, txHash, sender, slashes } of executions) {
    const inRound = votes.filter((vote) => vote.round === round);
    const by = inRound.map(({ slot, proposer }) => `${slot} ${nameOf(proposer)}`);
    const { quorum } = chain.proposer.rules;
    checks.add(`round ${round} had a quorum`, inRound.length >= quorum, { votes: by, quorum });
    const taken = totals(slashes);
    const [expected, found] = [expectedSlashes(facts, inRound), taken].map(listed);
    checks.add(`executing round ${round} took what a quorum of voters held against validators`, expected === found, {
      ...{ txHash, sender: nameOf(sender), slashes: found },
      ...(expected !== found && { expected }),
    });
  }
  const honestKinds = (addresses: readonly string[]) => {
    const honest = addresses.filter((address) => address !== guilty.offender && address !== guilty.absent);
    return [...new Set(honest.map((address) => nameOf(address).split(" ")[0]))].sort();
  };
  if (honestKinds([...before.keys()]).length > 1) {
    const { roundSize } = chain.proposer.rules;
    for (const { round } of executions) {
      const slots = Array.from({ length: roundSize }, (_, i) => facts.startOf(round * roundSize + i));
      const proposed = honestKinds(await Promise.all(slots.map((time) => chain.proposerAt(time))));
      const voted = honestKinds(votes.filter((vote) => vote.round === round).map(({ proposer }) => proposer));
      const passed = proposed.every((kind) => voted.includes(kind));
      checks.add(`each kind of honest validators with slots in round ${round} voted`, passed, { proposed, voted });
    }
  }
  const rounds = executions.map(({ round }) => round);
  const once = new Set(rounds).size === rounds.length;
  checks.add("rounds were executed, each once", rounds.length > 0 && once, { rounds });
  const slashed = totals(executions.flatMap(({ slashes }) => slashes));
  for (const [validator, first] of before) {
    const isGuilty = validator === guilty.offender || validator === guilty.absent;
    const now = await chain.stake(validator);
    const amount = slashed.get(validator) ?? 0n;
    const what = isGuilty ? "fell by what was slashed" : "is as before";
    const passed = first - now === amount && isGuilty === amount > 0n;
    checks.add(`the stake of ${nameOf(validator)} ${what}`, passed, { before: String(first), now: String(now) });
  }
}

/**
 * What the votes of a round take from each validator if each voter voted on what its node recorded of others
 * (docs/protocol/12-slashing.md#127-votes-of-the-tally-model).
 */
function expectedSlashes(facts: ExecutionFacts, votes: readonly CastVote[]): Map<string, bigint> {
  const { chain, knownTo, epochSlots, before } = facts;
  const { roundSize, offsetInRounds, amounts, quorum } = chain.proposer.rules;
  const first = ((votes[0].round - offsetInRounds) * roundSize) / epochSlots;
  const slashes: { validator: string; amount: bigint }[] = [];
  for (let epoch = first; epoch < first + roundSize / epochSlots; epoch++) {
    for (const validator of before.keys()) {
      const sums = votes
        .filter(({ proposer }) => proposer !== validator)
        .map(({ proposer }) =>
          knownTo(proposer)
            .filter((offense) => offense.validator === validator && epochOf(offense, epochSlots) === epoch)
            .reduce((sum, { amount }) => sum + amount, 0n),
        );
      const amount = amounts.findLast((level) => sums.filter((sum) => sum >= level).length >= quorum);
      if (amount !== undefined) slashes.push({ validator, amount });
    }
  }
  return totals(slashes);
}

function totals(amounts: readonly { validator: string; amount: bigint }[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { validator, amount } of amounts) sums.set(validator, (sums.get(validator) ?? 0n) + amount);
  return sums;
}

function listed(amounts: ReadonlyMap<string, bigint>): string {
  return [...amounts]
    .map(([validator, amount]) => `${validator}: ${amount}`)
    .sort()
    .join(", ");
}
