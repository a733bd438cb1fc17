import type * as uws from "uWebSockets.js";
import { MIN_BLOCK_HEADER } from "../../calls/consistency.ts";
import { isJsonType } from "../request-body.ts";

/** What a request with a plain POST's head says; empty where it says nothing. Each header's first line counts. */
export interface PlainHeaders {
  /** Content-Type. */
  readonly type: string;
  readonly acceptEncoding: string;
  /** MIN_BLOCK_HEADER. */
  readonly minBlock: string;
}

/**
 * Reads the heads of plain POSTs in one pass: with each look-up of a header by itself, a small call costs about a tenth
 * more.
 */
export class PlainHeads {
  readonly #notPlain: ReadonlySet<string>;
  /** Lengths of those names, a bit each. */
  readonly #lengths: number;
  #isPlain = true;
  #lengthLines = 0;
  #type = "";
  #acceptEncoding = "";
  #minBlock = "";

  /** `notPlain`: lower-case names of headers with which a request is no plain POST. */
  constructor(notPlain: readonly string[]) {
    this.#notPlain = new Set([...notPlain, "content-encoding", "transfer-encoding"]);
    this.#lengths = [...this.#notPlain].reduce((bits, { length }) => bits | (1 << (length % 32)), 0);
  }

  /** One function for all requests: the library calls it for each header, with its name in lower case. */
  readonly #note = (name: string, value: string): void => {
    switch (name) {
      case "content-length":
        this.#lengthLines += 1;
        if (value === "0" || value === "") this.#isPlain = false;
        return;
      case "content-type":
        this.#type ||= value;
        return;
      case "accept-encoding":
        this.#acceptEncoding ||= value;
        return;
      case MIN_BLOCK_HEADER:
        this.#minBlock ||= value;
        return;
      default:
        if (((this.#lengths >> (name.length % 32)) & 1) === 1 && value !== "" && this.#notPlain.has(name))
          this.#isPlain = false;
    }
  };

  /** undefined if the request is no plain POST. A plain POST has exactly one Content-Length. */
  read(req: uws.HttpRequest): PlainHeaders | undefined {
    this.#isPlain = true;
    this.#lengthLines = 0;
    this.#type = "";
    this.#acceptEncoding = "";
    this.#minBlock = "";
    req.forEach(this.#note);
    if (!this.#isPlain || this.#lengthLines !== 1) return undefined;
    const type = this.#type;
    if (type !== "application/json" && !isJsonType(type)) return undefined;
    return { type, acceptEncoding: this.#acceptEncoding, minBlock: this.#minBlock };
  }
}
