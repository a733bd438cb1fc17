import type { PartValues } from "../../config/part-values.ts";
import type { ExecutedTx } from "../../execution/executed-tx.ts";
import type { FunctionNames } from "../../execution/revert-reason.ts";
import type { ActiveKeystore } from "../../keystore/active-keystore.ts";
import { Kzg } from "../../l1/blobs/kzg.ts";
import type { DataDirectory } from "../../process/data-directory.ts";
import type { LoggerFor } from "../../process/logging/logging.ts";
import { Teardown } from "../../process/teardown.ts";
import type { Sequencer } from "../../sequencer/sequencer.ts";
import type { DutyTimes } from "../../telemetry/duty-times.ts";
import { ClockCheck, ClockedGuard } from "../../validator/clock-check.ts";
import type { SigningGuard } from "../../validator/signing/signing-guard.ts";
import type { ChainContext } from "../context/chain-context.ts";
import type { MempoolPart } from "../context/mempool-part.ts";
import { configuredKeys } from "../keys/proposer-keys.ts";
import { attesterSigning } from "../keys/signers.ts";
import { openNodeSigningGuard } from "../keys/signing-guard.ts";
import { nodeDutyTimes } from "../sequencer/duty-times.ts";
import { logTxs } from "../sequencer/tx-log.ts";
import { hasProver } from "../settings/roles.ts";
import type { P2pPart } from "./p2p.ts";
import { createProver, type ProverPart } from "./prover.ts";
import { createSentinel, type SentinelPart } from "./sentinel.ts";
import { startSequencer } from "./sequencer.ts";
import { hasSlasher, type SlasherPart, startSlasher } from "./slasher.ts";
import { hasValidator, startValidator, type ValidatorPart } from "./validator.ts";

interface DutiesOptions {
  values: PartValues;
  directory: DataDirectory;
  /** Aborts the start. */
  signal: AbortSignal;
  mempool: MempoolPart;
  /** Shared KZG worker, closed by its owner. */
  kzg?: Kzg;
  /** Names of functions and events with which the log tells what transactions of own blocks did; if any. */
  logTxs?: FunctionNames;
}

/** The parts that take part in consensus: peers, and what a node does with its keys. Undefined are those it lacks. */
export interface DutiesPart {
  readonly keys: ActiveKeystore | undefined;
  readonly slasher: SlasherPart | undefined;
  readonly dutyTimes: DutyTimes;
  readonly p2p: P2pPart | undefined;
  readonly validator: ValidatorPart | undefined;
  readonly sequencer: Sequencer | undefined;
  readonly prover: ProverPart | undefined;
  readonly sentinel: SentinelPart | undefined;
  /** Attesters of this node, lower-case 0x text. */
  ownValidators(): string[];
  stop(): Promise<void>;
}

/** Creates these parts. If this fails, all started ones are stopped. Rejects with an OperatorError. */
export async function startDuties(context: ChainContext, options: DutiesOptions): Promise<DutiesPart> {
  const { values, directory, signal, mempool, logTxs: shownNames } = options;
  const { loggerFor } = context;
  const teardown = new Teardown(loggerFor("node"));
  try {
    const keys = values.modes.sequencer ? await proposingKeys({ values: values.keys, loggerFor }) : undefined;
    const kzg = options.kzg ?? new Kzg();
    if (options.kzg === undefined) teardown.add("KZG", () => kzg.close());
    const guard = keys && signsDuties(values, context) ? await openGuard(context, options) : undefined;
    teardown.add("signing guard", () => guard?.close());
    const keystore = keys && (() => keys.current);
    const signing = attesterSigning(keystore, guard, context.endpoints);
    const ownValidators = () => keys?.current.attesterAddresses() ?? [];
    const slasher = hasSlasher(values) ? await startSlasher(context, { values, mempool, ownValidators }) : undefined;
    teardown.add("slasher", () => slasher?.stop());
    const dutyTimes = nodeDutyTimes(context, values.sequencer, keys !== undefined);
    teardown.add("times of duties", () => dutyTimes.close());
    // Its libraries take memory that a node without peers saves.
    const peers = values.p2p.enabled ? await import("./p2p.ts") : undefined;
    const p2p = await peers?.createP2p(context, {
      ...{ values, mempool, dutyTimes, signal },
      dataDirectory: directory.temporary ? undefined : directory.path,
      authenticates: hasValidator(values),
    });
    teardown.add("p2p", () => p2p?.stop());
    const offenses = slasher && { report: slasher.report, penalties: slasher.settings };
    const txBytes = (hash: Uint8Array) => mempool.pool.txBytes(hash);
    const shared = { values, kzg, dutyTimes, signing };
    const validator =
      p2p && hasValidator(values)
        ? startValidator(context, { ...shared, keys: keystore, txBytes, offenses }, p2p.network)
        : undefined;
    teardown.add("validator", () => validator?.stop());
    const built = shownNames
      ? (processed: readonly ExecutedTx[]) => logTxs(processed, shownNames, loggerFor("sequencer"))
      : undefined;
    const attestations = validator?.collector;
    const producer =
      keys &&
      (await startSequencer(context, {
        ...{ ...shared, directory, mempool, keys, attestations, built },
        peers: () => p2p?.node.peers.peers().length,
        slasher: slasher?.actions,
      }));
    teardown.add("sequencer", () => producer?.stop());
    const prover = hasProver(values.modes)
      ? await createProver(context, { values, directory, mempool, minedTxs: p2p?.minedTxs, kzg })
      : undefined;
    teardown.add("prover", () => prover?.stop());
    const sentinel = createSentinel(context, {
      values: values.sentinel,
      mempool,
      p2p,
      ownValidators,
      report: slasher?.report,
    });
    teardown.add("sentinel", () => sentinel?.stop());
    const parts = { keys, slasher, dutyTimes, p2p, validator, prover, sentinel, ownValidators };
    return { ...parts, sequencer: producer?.sequencer, stop: () => teardown.run() };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}

/** Rejects with a KeystoreError. */
function proposingKeys({
  values,
  loggerFor,
}: {
  values: PartValues["keys"];
  loggerFor: LoggerFor;
}): Promise<ActiveKeystore> {
  const logger = loggerFor("sequencer");
  return configuredKeys(values, (facts, message) => logger.warn(facts, message));
}

/** Whether the node may have duties to sign: those of a committee, or proposals for peers. */
function signsDuties(values: PartValues, { reader }: Pick<ChainContext, "reader">): boolean {
  return hasValidator(values) || reader.identity.constants.targetCommitteeSize > 0;
}

/** The guard of all duties, which also looks at the clock. Rejects with an OperatorError. */
async function openGuard(
  { reader, chain, synchronizer, clock, endpoints, loggerFor }: ChainContext,
  { values, directory, signal }: Pick<DutiesOptions, "values" | "directory" | "signal">,
): Promise<SigningGuard> {
  const { identity } = reader;
  const logger = loggerFor("validator:signing");
  const guard = await openNodeSigningGuard(
    { values: values.signing, directory, identity, now: clock.now, endpoints, logger },
    signal,
  );
  const check = new ClockCheck(identity.constants, logger);
  let last = -1;
  synchronizer.on("progress", ({ initialSyncComplete, l1Block }) => {
    const processed = chain.state.processed();
    if (!initialSyncComplete || l1Block === last || processed?.number !== l1Block) return;
    last = l1Block;
    check.arrived(processed.timestamp, clock.now());
  });
  return new ClockedGuard(guard, check);
}
