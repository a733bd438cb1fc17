import { makeFetch } from "@aztec/foundation/json-rpc/client";
import { type AztecNode, createAztecNodeClient } from "@aztec/stdlib/interfaces/client";

const send = makeFetch([], true);

/** Calls of a wallet by method: answered and refused. */
export class CallCounts {
  readonly #counts = new Map<string, { answered: number; refused: number }>();

  add(method: string, outcome: "answered" | "refused"): void {
    const counts = this.#counts.get(method) ?? { answered: 0, refused: 0 };
    counts[outcome]++;
    this.#counts.set(method, counts);
  }

  /** A line for each method, and one of totals. */
  text(): string {
    const counts = [...this.#counts.values()];
    const refused = counts.reduce((sum, count) => sum + count.refused, 0);
    const calls = counts.reduce((sum, count) => sum + count.answered, refused);
    const lines = [...this.#counts].map(
      ([method, { answered, refused }]) => `${method.padEnd(44)} ${answered} answered, ${refused} refused`,
    );
    return [...lines.sort(), "", `${counts.length} methods, ${calls} calls: ${refused} refused`].join("\n");
  }
}

/** A client of the node that counts its calls. */
export function countedNode(url: string, counts: CallCounts): AztecNode {
  const counting: typeof send = async (host, body, ...more) => {
    const methods = ([body].flat() as { method: string }[]).map(({ method }) => method);
    try {
      const answer = await send(host, body, ...more);
      const answers = [answer.response].flat() as { error?: unknown }[];
      for (const [i, method] of methods.entries()) {
        counts.add(method, answers[i]?.error === undefined ? "answered" : "refused");
      }
      return answer;
    } catch (error) {
      for (const method of methods) counts.add(method, "refused");
      throw error;
    }
  };
  return createAztecNodeClient(url, {}, counting);
}
