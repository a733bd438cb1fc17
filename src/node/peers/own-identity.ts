import { join } from "node:path";
import { reveal } from "../../config/configuration.ts";
import type { PartValues } from "../../config/part-values.ts";
import { queryPublicIp } from "../../p2p/discovery/public-ip.ts";
import { RecordFile } from "../../p2p/discovery/record-file.ts";
import type { PeerIdentity } from "../../p2p/identity/peer-identity.ts";
import { checkPeerKey, resolvePeerIdentity } from "../../p2p/identity/peer-key-file.ts";
import type { Logger } from "../../telemetry/logger.ts";

/** The configured peer key. Without a data directory and a path the key is not kept. Throws a PeerKeyError. */
export function configuredIdentity(
  values: PartValues["p2p"]["own"],
  dataDirectory: string | undefined,
  log: Logger,
): PeerIdentity {
  return resolvePeerIdentity({ key: reveal(values.key), path: keyPath(values, dataDirectory), log });
}

/** Throws a PeerKeyError for a key that is given or stored and cannot be used. Makes none. */
export function checkIdentity(values: PartValues["p2p"]["own"], dataDirectory: string | undefined): void {
  checkPeerKey({ key: reveal(values.key), path: keyPath(values, dataDirectory) });
}

function keyPath(values: PartValues["p2p"]["own"], dataDirectory: string | undefined): string | undefined {
  return values.keyPath ?? (dataDirectory && join(dataDirectory, "p2p-private-key"));
}

/** Where the node's record is kept; undefined without a data directory. */
export function recordFile(dataDirectory: string | undefined, log: Logger): RecordFile | undefined {
  return dataDirectory === undefined ? undefined : new RecordFile(join(dataDirectory, "p2p-node-record"), log);
}

/** The configured or queried address to announce; undefined if there is neither. Rejects with a PublicAddressError. */
export async function announcedIp(
  { ip: configured, queryForIp }: PartValues["p2p"]["own"],
  log: Logger,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (configured !== undefined || !queryForIp) return configured;
  const ip = await queryPublicIp(signal);
  log.info({ ip }, "the public IP address is {ip}");
  return ip;
}
