import { secp256k1 } from "@noble/curves/secp256k1.js";
import { type Hex, parseTransaction } from "viem";
import { EndpointBook } from "../../endpoints/endpoint-book.ts";
import type { EndpointHealth } from "../../endpoints/endpoint-health.ts";
import { AllEndpointsFailed, hedgedCall } from "../../endpoints/hedged-call.ts";
import { HttpError } from "../../http/errors.ts";
import { wholeExchange } from "../../http/exchange.ts";
import { withoutUrl } from "../../http/redact.ts";
import { parseJson } from "../../json/parse-json.ts";
import { bigUintBytes, concat, fromHex, readBigUint, toHex } from "../../protocol/bytes.ts";
import { signerRecovery } from "../../protocol/consensus/signer-recovery.ts";
import { L1SignerError } from "./errors.ts";
import { personalMessageHash, typedDataHash } from "./local-signer.ts";
import type { L1Signer, TypedData } from "./signer.ts";
import { signingHash, type TxSignature, type UnsignedTx } from "./transaction.ts";

const REQUEST_LIMIT_MS = 10_000;
/** A signer without an answer after this long is probed. Signing a transaction with blobs may rightly take longer. */
const SILENCE_MS = 1_000;
const PROBE_MS = 2_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

const quantity = (value: number | bigint) => `0x${value.toString(16)}`;

/**
 * Changes v from 0 and 1 to 27 and 28, and s from the upper half of the group order to the lower
 * (docs/protocol/08-building-and-checkpoints.md#827-remote-signers).
 */
function normalize(signature: Uint8Array): Uint8Array {
  let s = readBigUint(signature, 32, 32);
  let v = signature[64] < 27 ? signature[64] + 27 : signature[64];
  const { n } = secp256k1.Point.CURVE();
  if (s > n / 2n) {
    s = n - s;
    v = 55 - v;
  }
  return concat(signature.subarray(0, 32), bigUintBytes(s, 32), Uint8Array.of(v));
}

/**
 * Signs through the JSON-RPC of Web3Signer (docs/protocol/08-building-and-checkpoints.md#827-remote-signers). Checks
 * that each signature is from the address. A signer that answers neither a request nor a probe is given up, so that it
 * holds up no other duties; a request is never sent twice.
 */
export class RemoteSigner implements L1Signer {
  readonly address: string;
  readonly #url: string;
  readonly #host: string;
  readonly #health: EndpointHealth;

  /** `endpoints` has the health of the signer, shared with its other accounts. */
  constructor(url: string, address: string, endpoints: EndpointBook = new EndpointBook()) {
    this.address = address.toLowerCase();
    this.#url = url;
    this.#host = new URL(url).host;
    this.#health = endpoints.of("remote-signer", url, (signal) => this.#exchange("eth_accounts", [], PROBE_MS, signal));
  }

  async signTransaction(tx: UnsignedTx, signal?: AbortSignal): Promise<TxSignature> {
    const { fees, sidecars } = tx;
    const blobFields = sidecars && {
      maxFeePerBlobGas: quantity(fees.maxFeePerBlobGas ?? 0n),
      blobVersionedHashes: sidecars.versionedHashes.map(toHex),
      blobs: sidecars.blobs.map(toHex),
    };
    const object = {
      from: this.address,
      to: tx.to,
      data: toHex(tx.data),
      value: quantity(tx.value),
      nonce: quantity(tx.nonce),
      gas: quantity(tx.gas),
      maxFeePerGas: quantity(fees.maxFeePerGas),
      maxPriorityFeePerGas: quantity(fees.maxPriorityFeePerGas),
      chainId: quantity(tx.chainId),
      type: sidecars ? "0x3" : "0x2",
      ...blobFields,
    };
    const raw = await this.#ask("eth_signTransaction", [object], signal);
    const { r, s, yParity } = this.#parsed(raw);
    const signature = concat(fromHex(r), fromHex(s), Uint8Array.of(27 + yParity));
    const checked = await this.#checked("eth_signTransaction", signature, signingHash(tx));
    return { r: readBigUint(checked, 0, 32), s: readBigUint(checked, 32, 32), yParity: checked[64] === 28 ? 1 : 0 };
  }

  /** r and s as 0x text padded to 32 bytes. */
  #parsed(raw: string): { r: string; s: string; yParity: number } {
    try {
      const { r, s, yParity } = parseTransaction(raw as Hex);
      const padded = (value: string | undefined) => `0x${(value ?? "").replace(/^0x/, "").padStart(64, "0")}`;
      return { r: padded(r), s: padded(s), yParity: yParity ?? 0 };
    } catch (cause) {
      throw this.#failure("eth_signTransaction answered something that is no signed transaction", cause);
    }
  }

  async signMessage(message: Uint8Array, signal?: AbortSignal): Promise<Uint8Array> {
    const text = await this.#ask("eth_sign", [this.address, toHex(message)], signal);
    return this.#checked("eth_sign", this.#bytes("eth_sign", text), personalMessageHash(message));
  }

  async signTypedData(typed: TypedData, signal?: AbortSignal): Promise<Uint8Array> {
    const json = JSON.stringify(typed, (_, value) => (typeof value === "bigint" ? value.toString() : value));
    const text = await this.#ask("eth_signTypedData", [this.address, json], signal);
    return this.#checked("eth_signTypedData", this.#bytes("eth_signTypedData", text), typedDataHash(typed));
  }

  #bytes(method: string, text: string): Uint8Array {
    if (!/^0x[0-9a-fA-F]{130}$/.test(text)) throw this.#failure(`${method} did not answer a signature of 65 bytes`);
    return fromHex(text);
  }

  async #checked(method: string, signature: Uint8Array, hash: Uint8Array): Promise<Uint8Array> {
    const normal = normalize(signature);
    const recover = await signerRecovery();
    const signer = recover(hash, normal);
    if (signer === undefined || toHex(signer) !== this.address) {
      throw this.#failure(`${method} answered a signature of another key or of something else`);
    }
    return normal;
  }

  #failure(rule: string, cause?: unknown): L1SignerError {
    return new L1SignerError(this.address, `${rule} (remote signer ${this.#host})`, { cause });
  }

  async #exchange(
    method: string,
    params: readonly unknown[],
    totalMs: number,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const { status, body } = await wholeExchange(
      {
        method: "POST",
        url: this.#url,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        signal,
      },
      { totalMs, maxBytes: MAX_ANSWER_BYTES },
    );
    try {
      return parseJson(body);
    } catch (cause) {
      throw new Error(`the answer with HTTP status ${status} is not JSON`, { cause });
    }
  }

  async #ask(method: string, params: readonly unknown[], signal: AbortSignal | undefined): Promise<string> {
    let answer: unknown;
    const ask = (_: object, ended: AbortSignal) => this.#exchange(method, params, REQUEST_LIMIT_MS, ended);
    try {
      answer = await hedgedCall([{ health: this.#health }], ask, {
        ...{ kind: method, hedge: "probe", hedgeMs: SILENCE_MS, signal },
        isOutage: () => true,
        isFinal: () => false,
      });
    } catch (error) {
      signal?.throwIfAborted();
      const cause = error instanceof AllEndpointsFailed ? error.failures[0]?.error : error;
      const isGivenUp = cause instanceof HttpError && cause.kind === "aborted";
      const reason = isGivenUp ? "no answer, nor one to a probe" : cause instanceof Error ? cause.message : "no answer";
      throw this.#failure(`${method}: ${reason}`, cause);
    }
    if (typeof answer === "object" && answer !== null) {
      if ("result" in answer && typeof answer.result === "string") return answer.result;
      if ("error" in answer && typeof answer.error === "object" && answer.error !== null && "message" in answer.error)
        throw this.#failure(
          `${method} was refused: ${withoutUrl(String(answer.error.message).slice(0, 1000), this.#url).slice(0, 200)}`,
        );
    }
    throw this.#failure(`${method} was answered by neither text nor error`);
  }
}
