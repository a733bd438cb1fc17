import { ContentStore } from "../../archiver/content-store.ts";
import type { BuildServices } from "../../checkpoints/checkpoint-terms.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { ExecutedTx } from "../../execution/executed-tx.ts";
import { executionRecord } from "../../execution/metrics.ts";
import { Siloing } from "../../execution/siloing.ts";
import { Vm } from "../../execution/vm/vm.ts";
import type { ActiveKeystore } from "../../keystore/active-keystore.ts";
import type { Kzg } from "../../l1/blobs/kzg.ts";
import { Teardown } from "../../process/teardown.ts";
import type { SlashActions } from "../../protocol/slashing/action.ts";
import { type AttestationCollector, NoCommitteeAttestations } from "../../sequencer/attestations.ts";
import { buildRecord, countSlashings, observeSequencer } from "../../sequencer/metrics.ts";
import { Sequencer } from "../../sequencer/sequencer.ts";
import type { SequencerSettings } from "../../sequencer/settings.ts";
import { TimetableError } from "../../sequencer/timetable/timetable.ts";
import type { VoteSource } from "../../sequencer/votes/governance-signals.ts";
import { voteSources } from "../../sequencer/votes/vote-sources.ts";
import type { DutyTimes } from "../../telemetry/duty-times.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import type { ChainContext } from "../context/chain-context.ts";
import type { MempoolPart } from "../context/mempool-part.ts";
import { type AttesterSigning, voteSigner } from "../keys/signers.ts";
import { type RunningPublisher, startPublisher } from "../sequencer/publisher.ts";
import { startCheckpoint } from "../sequencer/start-checkpoint.ts";
import { ConfigRefusedError, type ConfigurablePart } from "../services/live-config.ts";

interface SequencerOptions {
  values: PartValues;
  directory: { path: string; temporary: boolean };
  mempool: Pick<MempoolPart, "pool" | "contexts">;
  keys: ActiveKeystore;
  kzg: Kzg;
  /** Offers proposals to peers and collects the committee's attestations; undefined without peers or validator. */
  attestations: AttestationCollector | undefined;
  /** Connected peers; undefined where P2P is off. */
  peers(): number | undefined;
  signing: AttesterSigning;
  /** What to vote about offenses; undefined for a node without a slasher. */
  slasher?: SlashActions;
  dutyTimes: Pick<DutyTimes, "done" | "missed">;
  /** Called with the transactions of each built block. If set, their calls are recorded. */
  built?: (processed: readonly ExecutedTx[]) => void;
}

interface SequencerPart {
  readonly sequencer: Sequencer;
  stop(): Promise<void>;
}

function votesOf({ signals, slashVotes }: RunningPublisher, metrics: Metrics): VoteSource[] {
  const governance: VoteSource = async (voter, signal) => {
    const request = await signals.request(voter, signal);
    return request === undefined ? [] : [request];
  };
  if (slashVotes === undefined) return [governance];
  return [governance, countSlashings(metrics, (...asked) => slashVotes.requests(...asked))];
}

/**
 * Creates a node's sequencer; `sequencer.start()` starts to propose. If this fails, all started services are stopped.
 * Rejects with a TimetableError or L1TxStoreError.
 */
export async function startSequencer(context: ChainContext, options: SequencerOptions): Promise<SequencerPart> {
  const { core, store, chain, world, reader, synchronizer, metrics, loggerFor } = context;
  const {
    values,
    directory,
    mempool,
    keys,
    kzg,
    signing,
    dutyTimes,
    slasher,
    attestations = new NoCommitteeAttestations(),
    peers,
  } = options;
  const { now } = context.clock;
  const logger = loggerFor("sequencer");
  const teardown = new Teardown(logger);
  try {
    const { identity } = reader;
    const publishing = startPublisher({
      values,
      directory,
      identity,
      generation: context.chain.generation,
      keys,
      kzg,
      votes: voteSigner(signing),
      slasher,
      now,
      metrics: metrics,
      l1Calls: context.l1Calls,
      endpoints: context.endpoints,
      logger: loggerFor("sequencer:publisher"),
    });
    teardown.add("publisher", () => publishing.stop());
    const services: BuildServices = {
      core,
      generation: chain.generation,
      world,
      contracts: new ContentStore({ store, chain }),
      siloing: new Siloing(core, chain.generation),
      vm: new Vm(chain.generation),
      kzg,
      record: executionRecord(metrics),
    };
    const sequencer = new Sequencer(
      {
        reader,
        chain,
        worldTip: () => world.status().tip,
        sync: synchronizer,
        pool: mempool.pool,
        keys: () => keys.current,
        startCheckpoint: (terms, ...rest) => startCheckpoint(services, options, terms, ...rest),
        attestations,
        peers,
        publisher: publishing.publisher,
        votes: voteSources(votesOf(publishing, metrics), logger),
        dutyTimes,
        record: buildRecord(metrics),
        now,
        logger,
      },
      values.sequencer,
    );
    teardown.add("sequencer", () => sequencer.stop());
    teardown.add("balances of publishers", context.sampleAccounts(publishing));
    observeSequencer(metrics, { sequencer });
    return { sequencer, stop: () => teardown.run() };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}

/** Settings of the timetable. Their names are also those of their configuration keys. */
const TIMES = ["blockDurationMs", "l1PublishingTime", "attestationPropagationTime"] as const;

/** Applies settings of the live configuration to a sequencer. Refuses those that leave no time for a block. */
export function configurableSequencer(
  sequencer: Pick<Sequencer, "check" | "configure">,
): ConfigurablePart<SequencerSettings> {
  return {
    check(changes) {
      try {
        sequencer.check(changes);
      } catch (error) {
        if (!(error instanceof TimetableError)) throw error;
        const fields = TIMES.filter((name) => name in changes);
        throw new ConfigRefusedError([{ fields, rule: error.message }], { cause: error });
      }
    },
    configure: (changes) => sequencer.configure(changes),
  };
}
