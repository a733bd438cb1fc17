import { type EpochPlan, type EpochRecording, recordEpochs } from "../lib/epoch-recording.ts";
import { EpochReplay } from "../lib/epoch-replay.ts";
import { jobCosts } from "../lib/job-costs.ts";
import type { Comparison, Figure, ResultTable, SuiteResult, Unit } from "../lib/measurement.ts";
import {
  ownSide,
  type PartFigures,
  PROVER_PARTS,
  ProverProcesses,
  type ProverSide,
  referenceSide,
} from "../lib/prover-processes.ts";
import type { SuiteContext } from "../lib/suite.ts";
import { FIGURES, type PeerId, type RowId } from "../lib/targets.ts";

interface Sizes {
  short: readonly [EpochPlan, EpochPlan];
  long: EpochPlan;
  /** From one checkpoint of an epoch to the next; the public networks have 72 s. */
  paceMs: number;
  longPaceMs: number;
  jobsMs: number;
}

const FULL: Sizes = {
  short: [
    [4, 3, 3, 3],
    [6, 6, 5, 5],
  ],
  long: Array.from({ length: 32 }, () => 20),
  paceMs: 5000,
  longPaceMs: 8000,
  jobsMs: 1000,
};
const QUICK: Sizes = {
  short: [
    [1, 1],
    [1, 2],
  ],
  long: [2, 2, 2],
  paceMs: 1000,
  longPaceMs: 1000,
  jobsMs: 50,
};
/** The reference takes a minute for an epoch on two busy cores. */
const PROOF_LIMIT_S = 300;

interface ProvenEpoch {
  epoch: number;
  checkpoints: number;
  txs: number;
  /** From the L1 block that completes the epoch to the one that has its proof. */
  seconds: number;
  parts: ReturnType<ProverProcesses["figures"]>;
  /** Bytes since the process started. */
  bytes: ReturnType<ProverProcesses["bytes"]>;
}

/** Has the recorded epochs proven by one side's prover node, broker and agent, on an L1 of their own. */
async function prove(
  side: ProverSide,
  recording: EpochRecording,
  { paceMs, progress }: { paceMs: number; progress: (text: string) => void },
): Promise<{ idle: ProvenEpoch["parts"]; proven: ProvenEpoch[] }> {
  const replay = await EpochReplay.start(recording);
  try {
    const processes = await ProverProcesses.start(side, recording, replay.l1.url);
    try {
      const idle = processes.figures();
      const proven: ProvenEpoch[] = [];
      for (const epoch of recording.epochs) {
        const completeAt = await replay.publish(epoch, paceMs);
        const seconds = ((await replay.untilProven(epoch, PROOF_LIMIT_S)) - completeAt) / 1000;
        const { number, checkpoints, txs } = epoch;
        const facts = { epoch: number, checkpoints, txs, seconds };
        proven.push({ ...facts, parts: processes.figures(), bytes: processes.bytes() });
        progress(`${checkpoints} checkpoints with ${txs} txs: ${seconds.toFixed(2)} s`);
      }
      return { idle, proven };
    } finally {
      await processes.stop();
    }
  } finally {
    await replay.stop();
  }
}

type Side = "ours" | "reference";

const rounded = (value: number, digits = 0): number => Number(value.toFixed(digits));

function partRows(side: Side, { idle, proven }: Awaited<ReturnType<typeof prove>>): Record<string, unknown>[] {
  const at = (when: string, parts: Record<string, PartFigures>) =>
    Object.entries(parts).map(([part, { resident, anonymous, peak, cpuMs }]) => ({
      side,
      when,
      part,
      "resident, MiB": rounded(resident),
      "without files, MiB": rounded(anonymous),
      "most resident, MiB": rounded(peak),
      "CPU, s": rounded(cpuMs / 1000, 1),
    }));
  return [
    ...at("before", idle),
    ...proven.flatMap(({ checkpoints, txs, parts }) => at(`after ${checkpoints} checkpoints, ${txs} txs`, parts)),
  ];
}

function byteRows(side: Side, proven: readonly ProvenEpoch[]): Record<string, unknown>[] {
  return proven.map(({ txs, bytes }, i) => {
    const before = proven[i - 1]?.bytes;
    const own = Object.entries(bytes).map(([way, total]) => [
      `${way}, KiB`,
      rounded((total - (before?.[way as keyof typeof bytes] ?? 0)) / 1024),
    ]);
    return { side, "txs of the epoch": txs, ...Object.fromEntries(own) };
  });
}

function comparison(
  row: RowId,
  peer: PeerId,
  unit: Unit,
  { ours, theirs, note }: { ours: number; theirs: number | undefined; note: string },
): Comparison | Figure {
  if (theirs === undefined) return { kind: "figure", row, name: "ours alone", unit, values: [ours], note };
  return { kind: "comparison", row, peer, unit, better: "less", pairs: [{ ours, theirs }], note };
}

/**
 * Compares provers of simulated proofs, both with one prover node, one broker and one agent, each a process: the CPU
 * time of each type of job, epochs from their last checkpoint to their proof, memory and bytes.
 */
export async function proverSuite({ quick, reference, progress }: SuiteContext): Promise<SuiteResult> {
  const sizes = quick ? QUICK : FULL;
  const theirSide = reference && referenceSide(reference);

  progress("CPU time of each type of job");
  const ourCosts = await jobCosts(ownSide, sizes.jobsMs);
  const theirCosts = theirSide && (await jobCosts(theirSide, sizes.jobsMs));
  const costRows = [...ourCosts].map(([type, ours]) => {
    const theirs = theirCosts?.get(type);
    return {
      type,
      "ours, ms": rounded(ours, 1),
      ...(theirs !== undefined && { "reference, ms": rounded(theirs, 1), times: rounded(theirs / ours, 1) }),
    };
  });

  progress("making the epochs");
  const recording = await recordEpochs(sizes.short);
  let ours: Awaited<ReturnType<typeof prove>>;
  let theirs: Awaited<ReturnType<typeof prove>> | undefined;
  try {
    const { paceMs } = sizes;
    ours = await prove(ownSide, recording, { paceMs, progress: (text) => progress(`ours: ${text}`) });
    if (theirSide !== undefined) {
      theirs = await prove(theirSide, recording, { paceMs, progress: (text) => progress(`reference: ${text}`) });
    }
  } finally {
    recording.remove();
  }
  const measurements: SuiteResult["measurements"] = [];
  for (const [i, row] of (["proven-13", "proven-22"] as const).entries()) {
    const note = `one prover node, broker and agent, each a process, simulated proofs; every second tx has public calls; ${sizes.paceMs / 1000} s from one checkpoint to the next`;
    const each = { ours: ours.proven[i].seconds, theirs: theirs?.proven[i].seconds, note };
    measurements.push(comparison(row, "prover", "s", each));
  }
  const last = ({ proven }: NonNullable<typeof theirs>) => proven[proven.length - 1].parts;
  for (const part of PROVER_PARTS) {
    const row = ({ "prover node": "prover-memory", broker: "broker-memory", agent: "agent-memory" } as const)[part];
    const each = {
      ours: last(ours)[part].resident,
      theirs: theirs && last(theirs)[part].resident,
      note: "after both epochs, which the parts still keep; resident memory with pages of mapped files",
    };
    measurements.push(comparison(row, "prover", "MiB", each));
  }

  progress(`making an epoch of ${sizes.long.length} checkpoints`);
  const longRecording = await recordEpochs([sizes.long]);
  let long: Awaited<ReturnType<typeof prove>>;
  try {
    long = await prove(ownSide, longRecording, { paceMs: sizes.longPaceMs, progress });
  } finally {
    longRecording.remove();
  }
  measurements.push({
    ...{ kind: "figure", row: "proven-640", name: FIGURES.proven, unit: "s" },
    values: long.proven.map(({ seconds }) => seconds),
    note: `${sizes.longPaceMs / 1000} s from one checkpoint to the next, with one agent`,
  });

  const tables: ResultTable[] = [
    { title: "proving jobs, CPU time of the agent's process for each", rows: costRows },
    {
      title: "parts of a prover",
      rows: [...partRows("ours", ours), ...(theirs ? partRows("reference", theirs) : []), ...partRows("ours", long)],
    },
    {
      title: "bytes between the parts of a prover",
      rows: [
        ...byteRows("ours", ours.proven),
        ...(theirs ? byteRows("reference", theirs.proven) : []),
        ...byteRows("ours", long.proven),
      ],
    },
  ];
  return { measurements, tables };
}
