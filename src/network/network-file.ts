import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Configuration, configure, type Given } from "../config/configuration.ts";
import { ConfigurationError } from "../config/errors.ts";
import { type NetworkEntry, parseNetworkFile } from "../config/network-entry.ts";
import { HttpError } from "../http/errors.ts";
import { type ReplyHeaders, wholeExchange } from "../http/exchange.ts";
import { redactUrl } from "../http/redact.ts";
import { NetworkFileCache } from "./network-file-cache.ts";

/**
 * Where the public networks publish their files, tried in order (docs/protocol/09-configuration.md#94-network-file).
 */
const PUBLISHED = [
  "https://raw.githubusercontent.com/AztecProtocol/networks/refs/heads/main/network_config.json",
  "https://metadata.aztec.network/network_config.json",
];

const FETCH_LIMIT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
/** Lifetime of a copy if the response names none. */
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

/** The response to a request for a network file is unusable. */
class FetchError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "FetchError";
  }
}

interface NetworkFileOptions {
  readonly network: string;
  /** http, https or file URL, or path. */
  readonly locations: readonly string[];
  /** Folder for the copy of a fetched file; if undefined, no copy is kept. */
  readonly cacheFolder: string | undefined;
  /** Whether the copy may be written; otherwise it is only read. */
  readonly keep: boolean;
  readonly now?: () => number;
}

interface NetworkFile {
  /** Redacted. */
  readonly location: string;
  /** Undefined if the network is not in the file. */
  readonly entry: NetworkEntry | undefined;
  /** Why an expired copy was used. */
  readonly stale?: string;
}

/** Where the network file is read: the configured location, or where it is published. */
export function networkFileLocations(configured: string | undefined): readonly string[] {
  return configured === undefined ? PUBLISHED : [configured];
}

const isRemote = (location: string): boolean => /^https?:\/\//i.test(location);
const shown = (location: string): string => (isRemote(location) ? redactUrl(location) : location);

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof HttpError) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error.message : `the file cannot be read (${code})`;
}

/** Expiry of a response in Unix milliseconds. */
function expiryOf(headers: ReplyHeaders, now: number): number {
  const control = headers.get("cache-control")?.toLowerCase() ?? "";
  if (/\bno-(?:cache|store)\b/.test(control)) return now;
  const age = /\bmax-age=(\d{1,9})\b/.exec(control)?.[1];
  if (age !== undefined) return now + Number(age) * 1000;
  const expires = Date.parse(headers.get("expires") ?? "");
  return Number.isNaN(expires) ? now + DEFAULT_LIFE_MS : expires;
}

/** Fetches one location, or confirms by etag that the copy is current. Throws if the response is unusable. */
async function fetchEntry(
  location: string,
  { network, now = Date.now }: NetworkFileOptions,
  cache: NetworkFileCache,
): Promise<NetworkEntry | undefined> {
  const copy = cache.read(location);
  const asked: Record<string, string> = copy?.etag === undefined ? {} : { "if-none-match": copy.etag };
  const limits = { totalMs: FETCH_LIMIT_MS, maxBytes: MAX_BYTES };
  const { status, headers, body } = await wholeExchange({ url: location, headers: asked }, limits);
  const notModified = status === 304 && copy !== undefined;
  if (status !== 200 && !notModified) throw new FetchError(`HTTP status ${status}`);
  const text = notModified ? copy.text : body.toString("utf8");
  const entry = parseNetworkFile(text, network);
  const etag = headers.get("etag") ?? (notModified ? copy.etag : undefined);
  cache.write({ location, etag, expires: expiryOf(headers, now()), text });
  return entry;
}

/** The copy of one of the locations, if it exists and is valid. */
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
      // A damaged copy is treated as absent.
    }
  }
  return undefined;
}

/**
 * Reads a network's entry from the first location that gives one. Uses the copy of an earlier fetch instead if that has
 * not expired, or if no location answers. Throws NetworkFileError.
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
 * The configuration including the network file, which is read for networks other than local. `keep` allows a fetched
 * file to be cached in the data directory. Throws ConfigurationError.
 */
export async function configureForNetwork(given: Given, keep: boolean): Promise<Configuration> {
  const local = configure(given);
  const { network, networkConfigLocation, dataDirectory } = local.values;
  if (network === "local") return local;
  const file = await readNetworkFile({
    network,
    locations: networkFileLocations(networkConfigLocation),
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
