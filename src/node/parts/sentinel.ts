import type { ChainStore } from "../../archiver/chain-store.ts";
import { syncedSlot } from "../../archiver/synced-slot.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { SlotCommittees } from "../../l1/committee/slot-committees.ts";
import type { AttestationPool } from "../../mempool/attestations/attestation-pool.ts";
import { fromHex } from "../../protocol/bytes.ts";
import { checkpointSlot } from "../../protocol/checkpoint-header.ts";
import { isEmptySignature } from "../../protocol/consensus/recover.ts";
import type { ReportOffenses } from "../../protocol/slashing/offense.ts";
import type { L1Constants } from "../../protocol/time.ts";
import type { ValidatorStats } from "../../rpc/ports/validator-stats.ts";
import { observeMissedDuties } from "../../slasher/metrics.ts";
import type { InactivitySettings } from "../../slasher/sentinel/inactivity.ts";
import { Sentinel, type SentinelChain } from "../../slasher/sentinel/sentinel.ts";
import { SentinelStore } from "../../slasher/sentinel/sentinel-store.ts";
import type { ChainContext } from "../context/chain-context.ts";
import type { MempoolPart } from "../context/mempool-part.ts";
import type { ConfigurablePart } from "../services/live-config.ts";
import { validatorStats } from "../services/validator-stats.ts";

interface SeenDuties {
  attestations: Pick<AttestationPool, "signedAttestations" | "hasBlockProposals">;
  committees: Pick<SlotCommittees, "at">;
}

export interface SentinelOptions {
  values: PartValues["sentinel"];
  mempool: Pick<MempoolPart, "store">;
  /** Undefined where P2P is disabled: then nothing tells who attested. */
  p2p: SeenDuties | undefined;
  /** Attesters of this node, lower-case 0x text. */
  ownValidators(): readonly string[];
  /** Called with offenses of inactive validators. */
  report?: ReportOffenses;
}

/** The record of the validators' duties. */
export interface SentinelPart {
  readonly answers: ValidatorStats;
  /** Settings that can change at run time. */
  readonly live: ConfigurablePart<InactivitySettings>;
  /** Call it after the initial sync. */
  start(): void;
  stop(): Promise<void>;
}

/** The parts of a node that the sentinel follows. */
export type SentinelContext = Pick<ChainContext, "chain" | "clock" | "metrics" | "loggerFor"> & {
  reader: { identity: Pick<ChainContext["reader"]["identity"], "constants"> };
  synchronizer: Pick<ChainContext["synchronizer"], "on">;
};

/** Creates the sentinel without starting it. Undefined if it is not enabled. */
export function createSentinel(context: SentinelContext, options: SentinelOptions): SentinelPart | undefined {
  const { chain, reader, synchronizer, clock, metrics, loggerFor } = context;
  const { values, mempool, p2p, ownValidators, report = () => {} } = options;
  if (!values.enabled) return undefined;
  const logger = loggerFor("sentinel");
  if (p2p === undefined) {
    logger.warn({}, "SENTINEL_ENABLED has no effect without P2P: duties of validators are seen in gossip");
    return undefined;
  }
  const { constants } = reader.identity;
  const { attestations, committees } = p2p;
  const historyLength = values.historyEpochs * constants.epochDuration;
  const limits = { slots: historyLength, epochs: values.performanceEpochs };
  const sentinel = new Sentinel({
    store: new SentinelStore(mempool.store, limits),
    chain: sentinelChain(chain, constants),
    gossip: {
      *attesters(slot, archive) {
        const of = archive && { archive };
        for (const { attester } of attestations.signedAttestations(slot, of)) yield attester;
      },
      hasBlockProposals: (slot) => attestations.hasBlockProposals(slot),
    },
    committeeAt: (slot) => committees.at(slot),
    constants,
    historyLength,
    inactivity: values,
    report,
    now: clock.now,
    logger,
  });
  observeMissedDuties(metrics, { sentinel, ownValidators: () => ownValidators().map(fromHex) });
  let unfollow = (): void => {};
  return {
    answers: validatorStats(sentinel),
    live: { configure: (changes) => sentinel.configure(changes) },
    start() {
      unfollow = synchronizer.on("proven", ({ epoch }) => sentinel.epochProven(epoch));
      sentinel.start();
    },
    stop() {
      unfollow();
      return sentinel.stop();
    },
  };
}

function sentinelChain(chain: ChainStore, constants: L1Constants): SentinelChain {
  return {
    syncedSlot: () => syncedSlot(chain, chain.state.processed(), constants),
    checkpointAt(slot) {
      const number = chain.checkpointNumberAtSlot(slot);
      const checkpoint = number === undefined ? undefined : chain.checkpoint(number);
      if (checkpoint === undefined) return undefined;
      // The entries of a stored checkpoint were checked against the committee: entry i is of member i.
      const signers = checkpoint.attestations.flatMap(({ signature }, i) => (isEmptySignature(signature) ? [] : [i]));
      return { archive: checkpoint.archiveRoot, signers };
    },
    provenSlot() {
      const checkpoint = chain.checkpoint(chain.provenCheckpointNumber());
      return checkpoint && checkpointSlot(checkpoint.header);
    },
  };
}
