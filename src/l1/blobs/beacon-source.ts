import type { EndpointHealth } from "../../endpoints/endpoint-health.ts";
import { AllEndpointsFailed, hedgedCall } from "../../endpoints/hedged-call.ts";
import { isServerOutage } from "../../http/errors.ts";
import { redactUrl } from "../../http/redact.ts";
import { isZero, toHex } from "../../protocol/bytes.ts";
import { L1Error } from "../errors.ts";
import { block } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { L1Block } from "../types.ts";
import { BlobSourceConfigurationError, BlobSourceError } from "./errors.ts";
import { HTTP_RETRY_DELAYS_MS } from "./http-retry.ts";
import { at, getJson } from "./json-api.ts";
import { pickWanted } from "./sidecars.ts";
import type { BlobAnswer, BlobRequest, BlobSource } from "./source.ts";

interface BeaconHostOptions {
  url: string;
  /** Sent as ?key= unless `apiKeyHeader` is set. */
  apiKey?: string;
  apiKeyHeader?: string;
  retryDelaysMs?: readonly number[];
  timeoutMs?: number;
}

/** Number of slots to try after the expected one, in case slots were missed. */
const MISSED_SLOTS = 10;

/** One consensus client's HTTP API. */
export class BeaconHost {
  readonly name: string;
  /** As configured. */
  readonly url: string;
  readonly #options: BeaconHostOptions;
  readonly #base: string;

  constructor(options: BeaconHostOptions) {
    this.name = redactUrl(options.url);
    if (!/^https?:$/.test(URL.parse(options.url)?.protocol ?? "")) {
      throw new BlobSourceConfigurationError(this.name, "a consensus host must be an http(s) URL");
    }
    this.url = options.url;
    this.#options = options;
    this.#base = options.url.replace(/\/+$/, "");
  }

  /** GET of a beacon API path; 404 gives undefined. */
  get(path: string, signal?: AbortSignal): Promise<unknown> {
    const { apiKey, apiKeyHeader, retryDelaysMs = HTTP_RETRY_DELAYS_MS, timeoutMs = 30_000 } = this.#options;
    const url = new URL(`${this.#base}${path}`);
    if (apiKey && !apiKeyHeader) url.searchParams.set("key", apiKey);
    const headers = apiKey && apiKeyHeader ? { [apiKeyHeader]: apiKey } : undefined;
    return getJson(url.href, { source: this.name, headers, retryDelaysMs, timeoutMs, signal });
  }

  /** Throws a BlobSourceError if the host does not answer. */
  async checkReachable(signal?: AbortSignal): Promise<void> {
    if ((await this.get("/eth/v1/beacon/headers", signal)) === undefined) {
      throw new BlobSourceError(this.name, "answers 404 to /eth/v1/beacon/headers");
    }
  }

  /** Slot of a block by root or "head"; undefined if the host does not know it. */
  async slotOf(blockId: string, signal?: AbortSignal): Promise<number | undefined> {
    const answer = await this.get(`/eth/v1/beacon/headers/${blockId}`, signal);
    if (answer === undefined) return undefined;
    const slot = Number(at(answer, "data", "header", "message", "slot") ?? Number.NaN);
    if (!Number.isSafeInteger(slot)) throw new BlobSourceError(this.name, "returned a block header without a slot");
    return slot;
  }
}

/** A consensus client with its health. */
interface AskedHost {
  readonly host: BeaconHost;
  readonly health: EndpointHealth;
}

/** Finds the first beacon slot that may contain an L1 block: the one after its parent's. Cached per L1 block. */
export class BeaconSlots {
  readonly #rpc: L1Rpc;
  readonly #hosts: readonly AskedHost[];
  #last: { l1Hash: string; slot: Promise<number> } | undefined;

  constructor(rpc: L1Rpc, hosts: readonly AskedHost[]) {
    this.#rpc = rpc;
    this.#hosts = hosts;
  }

  /** Throws a BlobSourceError if neither L1 nor any consensus host knows the slot. */
  find(l1Block: L1Block, signal?: AbortSignal): Promise<number> {
    const l1Hash = toHex(l1Block.hash);
    if (this.#last?.l1Hash === l1Hash) return this.#last.slot;
    const slot = this.#find(l1Hash, signal);
    this.#last = { l1Hash, slot };
    slot.catch(() => {
      if (this.#last?.slot === slot) this.#last = undefined;
    });
    return slot;
  }

  async #find(l1Hash: string, signal?: AbortSignal): Promise<number> {
    const names = this.#hosts.map(({ host }) => host.name).join(", ");
    let root: Uint8Array | undefined;
    try {
      const found = await this.#rpc.request({ method: "eth_getBlockByHash", params: [l1Hash, false], parse: block });
      root = found?.parentBeaconBlockRoot;
    } catch (cause) {
      if (!(cause instanceof L1Error)) throw cause;
      throw new BlobSourceError(names, `the slot is unknown: ${cause.message}`, { cause });
    }
    if (!root || isZero(root)) throw new BlobSourceError(names, "the L1 block names no parent beacon block");
    const parentRoot = toHex(root);
    const ask = async ({ host }: AskedHost, ended: AbortSignal) => {
      const parent = await host.slotOf(parentRoot, ended);
      if (parent === undefined) throw new BlobSourceError(host.name, "does not know the parent beacon block");
      return parent + 1;
    };
    try {
      return await hedgedCall(this.#hosts, ask, {
        ...{ kind: "slot", signal, isOutage: isServerOutage },
        isFinal: (error) => !(error instanceof BlobSourceError),
      });
    } catch (error) {
      if (!(error instanceof AllEndpointsFailed)) throw error;
      const reasons = error.failures.map(({ error: e }) => (e as BlobSourceError).message);
      throw new BlobSourceError(names, `the slot is unknown: ${reasons.join("; ")}`, {
        cause: error.failures[0]?.error,
      });
    }
  }
}

/** Blob sidecars at a slot, unchecked; undefined if the host has no block there. */
export async function readSidecars(
  host: BeaconHost,
  slot: number,
  signal?: AbortSignal,
): Promise<{ blob: unknown; commitment: unknown }[] | undefined> {
  const answer = await host.get(`/eth/v1/beacon/blob_sidecars/${slot}`, signal);
  if (answer === undefined) return undefined;
  const data = at(answer, "data");
  if (!Array.isArray(data)) throw new BlobSourceError(host.name, `the sidecars of slot ${slot} are not a list`);
  return data.map((item) => ({ blob: at(item, "blob"), commitment: at(item, "kzg_commitment") }));
}

/** Blob sidecars of a consensus client (docs/protocol/04-l1-contracts.md#411-fetching-blobs). */
export class BeaconSource implements BlobSource {
  readonly name: string;
  readonly #host: BeaconHost;
  readonly #slots: BeaconSlots;

  constructor(host: BeaconHost, slots: BeaconSlots) {
    this.name = host.name;
    this.#host = host;
    this.#slots = slots;
  }

  async ask({ l1Block, wanted, signal }: BlobRequest): Promise<BlobAnswer> {
    const first = await this.#slots.find(l1Block, signal);
    let sidecars = await readSidecars(this.#host, first, signal);
    if (!sidecars) {
      const head = (await this.#host.slotOf("head", signal)) ?? first;
      const last = Math.min(first + MISSED_SLOTS, head);
      for (let slot = first + 1; slot <= last && !sidecars; slot++)
        sidecars = await readSidecars(this.#host, slot, signal);
    }
    if (!sidecars) throw new BlobSourceError(this.name, `has no blobs at slot ${first} or soon after`);
    return pickWanted(this.name, sidecars, wanted);
  }

  checkReachable(signal?: AbortSignal): Promise<void> {
    return this.#host.checkReachable(signal);
  }
}
