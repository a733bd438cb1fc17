/**
 * Asks a node on a v5 rollup everything that was recorded of another node on it, through each API, and prints how many
 * answers are equal, and what differs in those that are not:
 *
 *   node test/rpc/live/recorded-v5-answers.ts ANSWERS URL [METHOD]
 *
 * ANSWERS has a case a line, `{method, params, status, result or error}`, compressed by gzip or brotli. The node has to
 * keep all states (WS_NUM_HISTORIC_CHECKPOINTS=0) where the recorded one did. Exit code 1 when an answer differs.
 */
import { isDeepStrictEqual } from "node:util";
import {
  comparableV5,
  expectedV5,
  KNOWN_DIFFERENCES,
  type RecordedV5Case,
  readCases,
  type V5Answer,
} from "../../world/rpc/recorded-v5-answers.ts";

const [file, url, only] = process.argv.slice(2);
if (url === undefined) throw new Error("usage: recorded-v5-answers.ts ANSWERS URL [METHOD]");
const cases = readCases(file).filter(({ method }) => only === undefined || method === only);

async function ask(namespace: string, { method, params }: RecordedV5Case): Promise<V5Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: `${namespace}_${method}`, params }),
  });
  const { result, error } = (await response.json()) as Partial<V5Answer>;
  return error === undefined ? { status: response.status, result } : { status: response.status, error };
}

/** Members that differ, as paths with both values. */
function differences(expected: unknown, given: unknown, path = ""): string[] {
  if (isDeepStrictEqual(expected, given)) return [];
  const both = [expected, given].every((value) => typeof value === "object" && value !== null);
  if (!both || Array.isArray(expected) !== Array.isArray(given)) {
    const text = (value: unknown) => JSON.stringify(value)?.slice(0, 160);
    return [`${path}: recorded ${text(expected)}, given ${text(given)}`];
  }
  const [a, b] = [expected, given] as Record<string, unknown>[];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].flatMap((key) => differences(a[key], b[key], `${path}.${key}`));
}

for (const namespace of ["aztec", "svc", "node"]) {
  const counts = { equal: 0, known: 0, different: 0 };
  for (const one of cases) {
    const answer = await ask(namespace, one);
    const found = differences(expectedV5(one), comparableV5(one, answer));
    if (found.length > 0) {
      counts.different++;
      process.exitCode = 1;
      console.log(`${namespace}_${one.method}(${JSON.stringify(one.params).slice(0, 200)})`);
      for (const line of found.slice(0, 8)) console.log(`  ${line}`);
    } else if (KNOWN_DIFFERENCES.some(({ concerns }) => concerns(one))) counts.known++;
    else counts.equal++;
  }
  console.log(
    `${namespace}_: of ${cases.length} answers ${counts.equal} equal, ${counts.known} equal but for known differences, ` +
      `${counts.different} different`,
  );
}
