import { toHex } from "../../protocol/bytes.ts";
import type { Duty } from "./duty.ts";
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

/** Refusal of a duty whose slot may have been signed for without this record. */
export function unknownPast(validator: string, duty: Duty, upTo: number): SigningRefusedError {
  const rule = `it may have been signed before and the record does not show it; signing begins after slot ${upTo}`;
  return new SigningRefusedError(validator, duty, "unknown past", rule);
}

function refusal({ validator, duty, hash }: Claim, answer: Exclude<ClaimAnswer, { kind: "recorded" }>) {
  if (answer.kind === "other") {
    const rule = `another message is on record, ${shortHash(answer.hash)}.. and not ${shortHash(hash)}..`;
    return new SigningRefusedError(validator, duty, "other message", rule);
  }
  return unknownPast(validator, duty, answer.upTo);
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
