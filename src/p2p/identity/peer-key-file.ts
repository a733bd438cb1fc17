import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../../storage/make-folder.ts";
import { replaceFile } from "../../storage/replace-file.ts";
import { type Logger, silentLogger } from "../../telemetry/logger.ts";
import { PeerKeyError } from "./errors.ts";
import { generatePeerIdentity, type PeerIdentity, peerIdentity } from "./peer-identity.ts";

interface PeerKeySources {
  /** Text of the configured key. */
  key: string | undefined;
  /** File that keeps the key; undefined if there is no place for one. */
  path: string | undefined;
  log: Logger;
}

const GIVEN = "the configured peer id private key (PEER_ID_PRIVATE_KEY)";

/** Permission bits of everybody but the owner. */
const OTHERS = 0o077;

/**
 * The node's peer key: the configured one, which is also written to the file, else the file's, else a new one, which is
 * written to the file (docs/protocol/10-peers.md#101-identity). Throws a PeerKeyError.
 */
export function resolvePeerIdentity({ key, path, log }: PeerKeySources): PeerIdentity {
  if (key !== undefined) {
    const identity = peerIdentity(key, GIVEN);
    if (path !== undefined) writeKey(path, identity);
    return identity;
  }
  const stored = path === undefined ? undefined : readKey(path, log);
  if (stored !== undefined) return stored;
  const identity = generatePeerIdentity();
  if (path === undefined) {
    log.warn(
      { peer: identity.id },
      "peer id {peer} is for this run only: set a data directory or PEER_ID_PRIVATE_KEY_PATH to keep it",
    );
  } else {
    writeKey(path, identity);
    log.info({ peer: identity.id, path }, "made the key of peer id {peer}, kept in {path}");
  }
  return identity;
}

/** Throws a PeerKeyError for a key that is given, or in the file, and cannot be used. */
export function checkPeerKey({ key, path }: Omit<PeerKeySources, "log">): void {
  if (key !== undefined) peerIdentity(key, GIVEN);
  else if (path !== undefined) readKey(path, silentLogger);
}

function readKey(path: string, log: Logger): PeerIdentity | undefined {
  let text: string;
  let mode: number;
  try {
    text = readFileSync(path, "utf8");
    mode = statSync(path).mode;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw fileError(path, "read", error);
  }
  const identity = peerIdentity(text, `the peer key file ${path}`);
  if ((mode & OTHERS) !== 0) {
    log.warn({ path, mode: (mode & 0o777).toString(8) }, "other users may read the peer key in {path} (mode {mode})");
  }
  return identity;
}

function writeKey(path: string, { keyText }: PeerIdentity): void {
  try {
    makeFolder(dirname(path));
    replaceFile(path, keyText);
  } catch (error) {
    throw fileError(path, "written", error);
  }
}

function fileError(path: string, verb: string, cause: unknown): PeerKeyError {
  const { code } = cause as NodeJS.ErrnoException;
  return new PeerKeyError(`the peer key file ${path}`, `cannot be ${verb} (${code})`, { cause });
}
