import type { GoldenCase } from "../test/world/node/recorded-node.ts";
import { comparable, isComparable } from "../test/world/node/recording-limits.ts";
import { batchSizes, NODE_METHODS, nodeClient, readAs, textOf, typedParams, type Versions } from "./client.ts";
import { furtherQuestions, type Question } from "./questions.ts";
import { asRelease } from "./release.ts";
import type { Report } from "./report.ts";

/** Calls in flight at once; the library sends them in bodies of at most 100. */
const CHUNK = 250;

/** A value, or the error that the library threw. */
type Outcome = { value: unknown } | { error: Error & { cause?: unknown } };

async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await call };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** Whether the error came from the node. The library's own errors have the codes -32000 and -32001. */
function isRefusal({ cause }: { cause?: unknown }): boolean {
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return false;
  return typeof cause.code === "number" && ![-32000, -32001].includes(cause.code);
}

function shown(method: string, args: readonly unknown[]): string {
  return `${method}(${(textOf(args) ?? "").slice(1, -1).slice(0, 160)})`;
}

async function inChunks<T>(items: readonly T[], size: number, each: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += size) await Promise.all(items.slice(at, at + size).map(each));
}

/** Repeats all recorded calls. The library must accept each answer and read the same value as from the recorded one. */
export async function askRecorded(url: string, golden: readonly GoldenCase[], report: Report): Promise<void> {
  const client = nodeClient(url);
  const known = golden.filter(({ method }) => NODE_METHODS.includes(method));
  await inChunks(known, CHUNK, async (recorded) => {
    const { method, params, result, error } = recorded;
    const tally = report.of(`node_${method}`);
    const args = await typedParams(method, params);
    const outcome = await outcomeOf(client[method](...args));
    if ("error" in outcome) {
      if (error !== undefined && outcome.error.message === error.message) tally.equal++;
      else tally.failures.push(`${shown(method, args)}: ${outcome.error.message}`);
      return;
    }
    if (!isComparable(recorded)) {
      tally.accepted++;
      return;
    }
    const given = comparableText(method, textOf(outcome.value));
    const expected =
      error === undefined ? comparableText(method, await readAs(method, asRelease(method, result))) : error.message;
    if (given === expected) tally.equal++;
    else tally.failures.push(`${shown(method, args)}: ${given} instead of ${expected}`);
  });
}

function comparableText(method: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : JSON.stringify(comparable(method, { result: JSON.parse(text) }));
}

/** Makes calls beyond the recording. Afterwards every method of the library must have been called. */
export async function askFurther(url: string, golden: readonly GoldenCase[], report: Report): Promise<void> {
  const client = nodeClient(url);
  const { small, large } = await furtherQuestions(golden);
  const ask = async ({ method, args, expect }: Question) => {
    const tally = report.of(`node_${method}`);
    const outcome = await outcomeOf(client[method](...args));
    if ("error" in outcome) {
      const { message } = outcome.error;
      const wanted = expect instanceof RegExp && expect.test(message) && isRefusal(outcome.error);
      if (wanted) tally.refused++;
      else tally.failures.push(`${shown(method, args)}: ${message}`);
    } else if (expect instanceof RegExp || (outcome.value === undefined) !== (expect === "nothing")) {
      tally.failures.push(`${shown(method, args)}: ${textOf(outcome.value)} instead of ${expect}`);
    } else {
      tally.accepted++;
    }
  };
  await inChunks(small, CHUNK, ask);
  await inChunks(large, 1, ask);
  for (const method of NODE_METHODS) {
    const { equal, accepted, refused, failures } = report.of(`node_${method}`);
    if (equal + accepted + refused + failures.length === 0) failures.push("was not called");
  }
}

/** Checks that 250 calls go out as bodies of 100, 100 and 50, and that a refused call does not affect the others. */
export async function checkBatches(url: string, report: Report): Promise<void> {
  const tally = report.of("batches");
  const client = nodeClient(url);
  batchSizes.length = 0;
  await Promise.all(
    Array.from({ length: 250 }, async (_, i) => {
      const number = i % 10 === 9 ? -1 : i % 60;
      const outcome = await outcomeOf(client.getBlockHeader(number));
      if ("error" in outcome) {
        if (number < 0 && outcome.error.message === "Invalid input (0)") tally.refused++;
        else tally.failures.push(`slot ${i}: ${outcome.error.message}`);
        return;
      }
      const header = outcome.value as { globalVariables: { blockNumber: number } } | undefined;
      if (header?.globalVariables.blockNumber === number) tally.accepted++;
      else tally.failures.push(`slot ${i}: header of another block`);
    }),
  );
  if (batchSizes.join() !== "100,100,50") tally.failures.push(`bodies of ${batchSizes.join()} calls`);
}

/** Checks that the library accepts answers with the required versions in their headers, and no others. */
export async function checkVersions(url: string, report: Report): Promise<void> {
  const tally = report.of("versions");
  const { headers } = await fetch(url, { method: "POST" });
  const keys = ["l1ChainId", "l1RollupAddress", "rollupVersion", "l2ProtocolContractsHash", "l2CircuitsVkTreeRoot"];
  const versions: Versions = {};
  for (const key of keys) {
    const value = headers.get(`x-aztec-${key}`);
    if (value === null) tally.failures.push(`no header x-aztec-${key}`);
    else versions[key] = value;
  }
  const matching = await outcomeOf(nodeClient(url, versions).getVersion());
  if ("value" in matching && String(matching.value) === versions.rollupVersion) tally.accepted++;
  else tally.failures.push(`with the node's versions: ${JSON.stringify(matching)}`);
  for (const key of Object.keys(versions)) {
    const outcome = await outcomeOf(nodeClient(url, { ...versions, [key]: `${versions[key]}0` }).getVersion());
    if ("error" in outcome && outcome.error.name === "ComponentsVersionsError") tally.refused++;
    else tally.failures.push(`another ${key} is not noticed: ${JSON.stringify(outcome)}`);
  }
}
