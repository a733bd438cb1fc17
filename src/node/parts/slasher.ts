import { ContentStore } from "../../archiver/content-store.ts";
import { messagesOfCheckpoint } from "../../archiver/message-chain.ts";
import type { PartValues } from "../../config/part-values.ts";
import { Siloing } from "../../execution/siloing.ts";
import { Vm } from "../../execution/vm/vm.ts";
import type { L1Rpc } from "../../l1/rpc/l1-rpc.ts";
import { registrationTime } from "../../l1/slashing/registration.ts";
import { SlashFactory } from "../../l1/slashing/slash-factory.ts";
import { SlashingContracts } from "../../l1/slashing/slashing-contracts.ts";
import { Teardown } from "../../process/teardown.ts";
import type { SlashActions } from "../../protocol/slashing/action.ts";
import type { ReportOffenses } from "../../protocol/slashing/offense.ts";
import { slotAt } from "../../protocol/time.ts";
import type { Slasher as SlasherAnswers } from "../../rpc/admin/ports/slasher.ts";
import { observeOffenses, observeVotesAgainstOwn } from "../../slasher/metrics.ts";
import { OffenseStore } from "../../slasher/offenses/offense-store.ts";
import type { SlasherSettings } from "../../slasher/offenses/settings.ts";
import { Slasher } from "../../slasher/slasher.ts";
import { VotesAgainstOwn } from "../../slasher/tally/votes-against-own.ts";
import { EpochPruneWatcher } from "../../slasher/watchers/epoch-prune.ts";
import { watchInvalidAttestations } from "../../slasher/watchers/invalid-attestations.ts";
import { rebuildEpoch } from "../../slasher/watchers/rebuild-epoch.ts";
import { dutyRpc } from "../chain/duty-rpc.ts";
import type { ChainContext } from "../context/chain-context.ts";
import type { MempoolPart } from "../context/mempool-part.ts";
import type { ConfigurablePart } from "../services/live-config.ts";
import { slasherAnswers } from "../services/slasher-answers.ts";

interface SlasherOptions {
  values: PartValues;
  mempool: Pick<MempoolPart, "pool" | "store">;
  /** Attesters of this node, lower-case 0x text. */
  ownValidators(): readonly string[];
}

/** What the node knows against validators, and does about it. */
export interface SlasherPart {
  /** For the detectors of offenses. */
  readonly report: ReportOffenses;
  /** For the sequencer. */
  readonly actions: SlashActions;
  /** The settings in force, among them the penalties of offenses that other parts detect. */
  readonly settings: Readonly<SlasherSettings>;
  readonly live: ConfigurablePart<SlasherSettings>;
  readonly answers: SlasherAnswers;
  stop(): Promise<void>;
}

/** Whether the options ask for a slasher: a node that proposes with its own validators, or that observes proposals. */
export function hasSlasher(values: PartValues): boolean {
  return values.validator.observes || (values.modes.sequencer && !values.validator.off);
}

/**
 * Starts to collect offenses and to watch the chain for them. If this fails, all started services are stopped. Rejects
 * with an L1Error.
 */
export async function startSlasher(context: ChainContext, options: SlasherOptions): Promise<SlasherPart> {
  const { reader, synchronizer, clock, l1Calls, endpoints, loggerFor } = context;
  const { values, mempool, ownValidators } = options;
  const { identity } = reader;
  const { constants, addresses } = identity;
  const logger = loggerFor("slasher");
  const teardown = new Teardown(logger);
  const stopping = new AbortController();
  teardown.add("calls to L1", () => stopping.abort());
  try {
    const { signal } = stopping;
    const chainId = identity.l1ChainId;
    const rpc = dutyRpc({ values: values.l1, chainId, signal, calls: l1Calls, endpoints, logger });
    const settings: SlasherSettings = { ...values.slasher };
    const store = new OffenseStore(mempool.store, constants);
    observeOffenses(context.metrics, { store, ownValidators });
    const { slashFactoryAddress } = addresses;
    const contracts = new SlashingContracts(rpc, addresses.rollupAddress);
    const slasher = new Slasher({
      store,
      contracts,
      factory: slashFactoryAddress === undefined ? undefined : new SlashFactory(rpc, slashFactoryAddress),
      settings,
      constants,
      registrationSlot: await registrationSlot(rpc, identity, store),
      committee: (epoch) => reader.committee(epoch),
      ownValidators,
      now: clock.now,
      logger,
    });
    await slasher.start();
    teardown.add("slasher", () => slasher.stop());
    const votes = new VotesAgainstOwn({ contracts, constants, ownValidators, now: clock.now, logger });
    observeVotesAgainstOwn(context.metrics, votes);
    votes.start();
    teardown.add("votes about own validators", () => votes.stop());

    const { report } = slasher;
    const prunes = new EpochPruneWatcher({
      settings,
      constants,
      committee: (epoch) => reader.committee(epoch),
      rebuild: (blocks, signal) => rebuildEpoch(rebuildServices(context, mempool), blocks, signal),
      report,
      logger,
    });
    teardown.add("rebuilding of pruned epochs", () => prunes.stop());
    teardown.add("pruned epochs", synchronizer.on("blocksRemoved", prunes.blocksRemoved));
    const unfollow = synchronizer.on("invalidAttestations", watchInvalidAttestations(settings, report));
    teardown.add("invalid attestations", unfollow);
    return {
      report,
      actions: slasher,
      settings,
      live: { configure: (changes) => void Object.assign(settings, changes) },
      answers: slasherAnswers(slasher),
      stop: () => teardown.run(),
    };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}

/** Slot in which the rollup became canonical, read from L1 once; 0 if it never did. */
async function registrationSlot(
  rpc: L1Rpc,
  identity: ChainContext["reader"]["identity"],
  store: OffenseStore,
): Promise<number> {
  const known = store.registrationSlot();
  if (known !== undefined) return known;
  const time = await registrationTime(rpc, identity);
  if (time === undefined) return 0;
  const slot = slotAt(time, identity.constants);
  store.putRegistrationSlot(slot);
  return slot;
}

function rebuildServices(
  { core, world, store, chain, reader }: ChainContext,
  { pool }: SlasherOptions["mempool"],
): Parameters<typeof rebuildEpoch>[0] {
  const { l1ChainId, rollupVersion, constants } = reader.identity;
  return {
    build: {
      ...{
        core,
        generation: chain.generation,
        world,
        siloing: new Siloing(core, chain.generation),
        vm: new Vm(chain.generation),
      },
      contracts: new ContentStore({ store, chain }),
    },
    chainId: l1ChainId,
    version: rollupVersion,
    rollupManaLimit: constants.rollupManaLimit,
    pool,
    messages: (number) => messagesOfCheckpoint(chain.messages, number),
  };
}
