import { toHex } from "../../protocol/bytes.ts";
import type { Claim, ClaimAnswer, SignedDuties } from "./signed-duties.ts";
import { SigningRefusedError } from "./signing-refused-error.ts";

interface Waiting {
  readonly claim: Claim;
  resolve(): void;
  reject(error: unknown): void;
}

/** First bytes of a hash, enough to tell two apart in a log. */
export function shortHash(hash: Uint8Array): string {
  return toHex(hash.subarray(0, 4));
}

function refusal({ validator, duty, hash }: Claim, answer: Exclude<ClaimAnswer, { kind: "recorded" }>) {
  if (answer.kind === "other") {
    const rule = `this node signed another message, ${shortHash(answer.hash)}.. and not ${shortHash(hash)}..`;
    return new SigningRefusedError(validator, duty, "other message", rule);
  }
  const rule = `it may have been signed before and the record does not show it; signing begins after slot ${answer.upTo}`;
  return new SigningRefusedError(validator, duty, "unknown past", rule);
}

/**
 * Records claims. All that are made in one turn of the event loop share a commit, as those of several keys do, and
 * those whose rows a database returned together.
 */
export class Recording {
  readonly #duties: Pick<SignedDuties, "claim">;
  #waiting: Waiting[] = [];

  constructor(duties: Pick<SignedDuties, "claim">) {
    this.#duties = duties;
  }

  /** Resolves when the claim is on disk. Rejects with a SigningRefusedError. */
  record(claim: Claim): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ claim, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#commit());
    });
  }

  #commit(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    let answers: ClaimAnswer[];
    try {
      answers = this.#duties.claim(waiting.map(({ claim }) => claim));
    } catch (cause) {
      const rule = cause instanceof Error ? cause.message.split("\n", 1)[0] : "unknown error";
      for (const { claim, reject } of waiting) {
        reject(new SigningRefusedError(claim.validator, claim.duty, "record", rule, { cause }));
      }
      return;
    }
    waiting.forEach(({ claim, resolve, reject }, i) => {
      const answer = answers[i];
      if (answer.kind === "recorded") resolve();
      else reject(refusal(claim, answer));
    });
  }
}
