import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Configuration, configure, type Given } from "../config/configuration.ts";
import { ConfigurationError } from "../config/errors.ts";
import { type NetworkEntry, parseNetworkFile } from "../config/network-entry.ts";
import { HttpError } from "../http/errors.ts";
import { wholeExchange } from "../http/exchange.ts";
import { redactUrl } from "../http/redact.ts";
import { NetworkFileCache } from "./network-file-cache.ts";

/** Where the public networks publish their files, tried in order (sheet 09 section 2.4). */
const PUBLISHED = [
  "https://raw.githubusercontent.com/AztecProtocol/networks/refs/heads/main/network_config.json",
  "https://metadata.aztec.network/network_config.json",
];

const FETCH_LIMIT_MS = 10_000;
const MOST_BYTES = 1024 * 1024;
/** Life of a copy whose response names none. */
const DEFAULT_LIFE_MS = 5 * 60_000;

/** No source gave a usable network file. */
export class NetworkFileError extends ConfigurationError {
  readonly network: string;
  /** What went wrong, by location. */
  readonly failures: readonly { readonly location: string; readonly reason: string }[];

  constructor(network: string, failures: NetworkFileError["failures"], options?: ErrorOptions) {
    const listed = failures.map(({ location, reason }) => `${location}: ${reason}`).join("; ");
    super(`the network file of ${network} could not be read: ${listed}`, options);
    this.name = "NetworkFileError";
    this.network = network;
    this.failures = failures;
  }
}

/** A network file was not answered as it has to be. */
class FetchError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "FetchError";
  }
}

export interface NetworkFileOptions {
  readonly network: string;
  /** http, https or file URL, or path. */
  readonly locations: readonly string[];
  /** Folder for the copy of a fetched file; without one nothing is kept. */
  readonly cacheFolder: string | undefined;
  /** Whether a copy may be written, or is only read. */
  readonly keep: boolean;
  readonly now?: () => number;
}

export interface NetworkFile {
  /** In a form that may be shown. */
  readonly location: string;
  /** Undefined when the file does not have the network. */
  readonly entry: NetworkEntry | undefined;
  /** Why a copy past its life was used. */
  readonly stale?: string;
}

const isRemote = (location: string): boolean => /^https?:\/\//i.test(location);
const shown = (location: string): string => (isRemote(location) ? redactUrl(location) : location);

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof HttpError) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error.message : `the file cannot be read (${code})`;
}

/** Until when an answer may be used without asking again, in ms since the epoch. */
function expiryOf(headers: Headers, now: number): number {
  const control = headers.get("cache-control")?.toLowerCase() ?? "";
  if (/\bno-(?:cache|store)\b/.test(control)) return now;
  const age = /\bmax-age=(\d{1,9})\b/.exec(control)?.[1];
  if (age !== undefined) return now + Number(age) * 1000;
  const expires = Date.parse(headers.get("expires") ?? "");
  return Number.isNaN(expires) ? now + DEFAULT_LIFE_MS : expires;
}

/** Fetches one location, or finds by its etag that the copy is current. Throws where the answer is of no use. */
async function fetchEntry(
  location: string,
  { network, now = Date.now }: NetworkFileOptions,
  cache: NetworkFileCache,
): Promise<NetworkEntry | undefined> {
  const copy = cache.read(location);
  const asked: Record<string, string> = copy?.etag === undefined ? {} : { "if-none-match": copy.etag };
  const limits = { totalMs: FETCH_LIMIT_MS, maxBytes: MOST_BYTES };
  const { status, headers, body } = await wholeExchange({ url: location, headers: asked }, limits);
  const notModified = status === 304 && copy !== undefined;
  if (status !== 200 && !notModified) throw new FetchError(`HTTP status ${status}`);
  const text = notModified ? copy.text : body.toString("utf8");
  const entry = parseNetworkFile(text, network);
  const etag = headers.get("etag") ?? (notModified ? copy.etag : undefined);
  cache.write({ location, etag, expires: expiryOf(headers, now()), text });
  return entry;
}

/** The copy of one of the locations, when it is there and can be read. */
function copiedEntry(
  { network, locations, now = Date.now }: NetworkFileOptions,
  cache: NetworkFileCache,
  expiredToo: boolean,
): NetworkFile | undefined {
  for (const location of locations.filter(isRemote)) {
    const copy = cache.read(location);
    if (copy === undefined || (!expiredToo && copy.expires <= now())) continue;
    try {
      return { location: shown(location), entry: parseNetworkFile(copy.text, network) };
    } catch {
      // A damaged copy is as good as none.
    }
  }
  return undefined;
}

/**
 * Reads a network's entry from the first location that gives one, or from the copy of an earlier fetch: while it lives, and past that when
 * no location answers. Throws NetworkFileError.
 */
export async function readNetworkFile(options: NetworkFileOptions): Promise<NetworkFile> {
  const { network, locations } = options;
  const cache = new NetworkFileCache(options.cacheFolder, options.keep);
  const current = copiedEntry(options, cache, false);
  if (current !== undefined) return current;
  const failures: { location: string; reason: string }[] = [];
  for (const location of locations) {
    try {
      if (isRemote(location)) {
        return { location: shown(location), entry: await fetchEntry(location, options, cache) };
      }
      const path = location.toLowerCase().startsWith("file://") ? fileURLToPath(location) : location;
      return { location, entry: parseNetworkFile(readFileSync(path, "utf8"), network) };
    } catch (error) {
      failures.push({ location: shown(location), reason: reasonOf(error) });
    }
  }
  const error = new NetworkFileError(network, failures);
  const stale = copiedEntry(options, cache, true);
  if (stale === undefined) throw error;
  return { ...stale, stale: error.message };
}

/**
 * The configuration with what the network file says. Only for a network other than the local one is anything read or fetched; `keep`
 * says whether a fetched file may be copied below the data directory. Throws ConfigurationError.
 */
export async function configureForNetwork(given: Given, keep: boolean): Promise<Configuration> {
  const local = configure(given);
  const { network, networkConfigLocation, dataDirectory } = local.values;
  if (network === "local") return local;
  const file = await readNetworkFile({
    network,
    locations: networkConfigLocation === undefined ? PUBLISHED : [networkConfigLocation],
    cacheFolder: dataDirectory === undefined ? undefined : join(dataDirectory, "cache", network),
    keep,
  });
  const { location, entry, stale } = file;
  const full = configure({ ...given, networkFile: { location, variables: entry?.variables ?? {} } });
  return {
    ...full,
    warnings: [
      ...(stale === undefined ? [] : [`${stale}; an older copy is used`]),
      ...(entry === undefined ? [`the network file ${location} does not have the network ${network}`] : []),
      ...full.warnings,
    ],
  };
}
