import { isDeepStrictEqual } from "node:util";
import {
  comparableV5,
  expectedV5,
  KNOWN_DIFFERENCES,
  type RecordedV5Case,
  type V5Answer,
} from "./recorded-v5-answers.ts";

/** Concurrent questions. */
const AT_ONCE = 16;

/** Of recorded answers, those that a node gives too, those equal but for a known difference, and the others. */
export interface Counts {
  equal: number;
  known: number;
  different: number;
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

async function ask(url: string, namespace: string, { method, params }: RecordedV5Case): Promise<V5Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: `${namespace}_${method}`, params }),
  });
  const { result, error } = (await response.json()) as Partial<V5Answer>;
  return error === undefined ? { status: response.status, result } : { status: response.status, error };
}

/** Asks the node at `url` every case through one namespace. What differs is told to `report`, a line each. */
export async function askRecorded(
  url: string,
  namespace: string,
  cases: readonly RecordedV5Case[],
  report: (line: string) => void,
): Promise<Counts> {
  const counts = { equal: 0, known: 0, different: 0 };
  const compare = async (one: RecordedV5Case): Promise<void> => {
    const found = differences(expectedV5(one), comparableV5(one, await ask(url, namespace, one)));
    if (found.length > 0) {
      counts.different++;
      report(`${namespace}_${one.method}(${JSON.stringify(one.params).slice(0, 200)})`);
      for (const line of found.slice(0, 8)) report(`  ${line}`);
    } else if (KNOWN_DIFFERENCES.some(({ concerns }) => concerns(one))) counts.known++;
    else counts.equal++;
  };
  for (let from = 0; from < cases.length; from += AT_ONCE) {
    await Promise.all(cases.slice(from, from + AT_ONCE).map(compare));
  }
  return counts;
}
