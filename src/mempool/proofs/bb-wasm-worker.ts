import { workerData } from "../../threads/in-worker.ts";
import { assertStringsTaken, refusesProof, rootOf, squareRootCommand, stringCommands, verdictOf } from "./bb-api.ts";
import { BbAbortError, BbInstance, compileBb } from "./bb-wasm.ts";
import { grumpkinPoints, type PointRule, type ReferenceStrings } from "./reference-strings.ts";

/** `workerData` of a thread. */
export interface BbThreadData {
  /** Path of the module. */
  module: string;
}

/** Derives Grumpkin's points, or gives the verdict about a proof by its command. */
export type BbTask =
  | { kind: "points"; rule: PointRule }
  | { kind: "verify"; command: Uint8Array; strings: ReferenceStrings };

/** An instance never gives memory back; one that has grown to this size is replaced. */
const MAX_INSTANCE_BYTES = 256 * 1024 * 1024;

const module = compileBb(workerData<BbThreadData>().module);
let instance: BbInstance | undefined;

function readyInstance(strings: ReferenceStrings): BbInstance {
  if (instance === undefined || instance.memoryBytes > MAX_INSTANCE_BYTES) {
    instance = new BbInstance(module);
    for (const command of stringCommands(strings)) assertStringsTaken(instance.call(command));
  }
  return instance;
}

function points(rule: PointRule): Promise<Uint8Array> {
  const bb = new BbInstance(module);
  return grumpkinPoints(async (values) => values.map((value) => rootOf(bb.call(squareRootCommand(value)))), rule);
}

function verdict(command: Uint8Array, strings: ReferenceStrings): boolean {
  const bb = readyInstance(strings);
  try {
    return verdictOf(bb.call(command));
  } catch (error) {
    instance = undefined;
    // Where bb's process would answer with an error.
    if (error instanceof BbAbortError && refusesProof(error.message)) return false;
    throw error;
  }
}

/** Entry point of a worker thread. */
export default async function runBb(task: BbTask): Promise<boolean | Uint8Array> {
  return task.kind === "points" ? points(task.rule) : verdict(task.command, task.strings);
}
