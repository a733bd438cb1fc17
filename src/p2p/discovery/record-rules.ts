import { type BaseENR, ENR } from "@chainsafe/enr";
import { sameComponents } from "../../protocol/consensus/component-version.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { isHost, isPrivate } from "./address-kinds.ts";
import { NodeRecordError } from "./errors.ts";
import { versionOf } from "./node-record.ts";
import type { DiscoveredPeer } from "./peer-discovery.ts";

export const SOUND = "must have an IPv4 address of a host, ports above 0 and less than 300 bytes";

/** Records end below this size (EIP-778). */
const RECORD_BYTES = 300;
/** Characters of an invalid record in the log; valid ones have at most 404. */
const MAX_SHOWN_LENGTH = 404;

/**
 * Whether the library can use a record of another node. It verified the signature, but computes with addresses, ports
 * and numbers of any form and throws, or cannot encode the record again, when they have another one.
 */
export function isSound(record: BaseENR): boolean {
  const { kvs, seq } = record;
  const ip = kvs.get("ip");
  if (seq > BigInt(Number.MAX_SAFE_INTEGER)) return false;
  if (ip !== undefined && !(ip.length === 4 && isHost(ip))) return false;
  if (!["udp", "tcp"].every((key) => isPort(kvs.get(key)))) return false;
  try {
    return record.encode().length < RECORD_BYTES;
  } catch {
    return false;
  }
}

function isPort(value: Uint8Array | undefined): boolean {
  return value === undefined || (value.length === 2 && (value[0] !== 0 || value[1] !== 0));
}

/**
 * The record in a form that can be handed on: with the bytes that were signed. The library encodes records of an answer
 * anew, and such a record is invalid when its keys were not in the library's order. undefined if so.
 */
export function handedOn(record: ENR): ENR | undefined {
  try {
    return ENR.decode(record.encode());
  } catch {
    return undefined;
  }
}

/**
 * Whether a record may come from a node at `by`: only nodes in private networks know of addresses there. Keeps public
 * peers from sending this node to machines of its own network.
 */
export function mayBeRelayed(record: ENR, by: ENR | undefined): boolean {
  const ip = record.kvs.get("ip");
  const source = by?.kvs.get("ip");
  return ip === undefined || !isPrivate(ip) || source === undefined || isPrivate(source);
}

/** Whether the record is of a node that is compatible with version string `ours`. */
export function isCompatible(record: ENR, ours: string): boolean {
  const version = versionOf(record);
  return version !== undefined && sameComponents(ours, version);
}

export function peerOf(record: ENR): DiscoveredPeer {
  const { ip, tcp } = record;
  return {
    id: record.peerId.toString(),
    address: ip === undefined || tcp === undefined ? undefined : `/ip4/${ip}/tcp/${tcp}`,
    enr: record.encodeTxt(),
  };
}

/** Reads a record's text. `subject` says where it came from. Throws a NodeRecordError. */
export function parseRecord(text: string, subject: string): ENR {
  let record: ENR;
  try {
    record = ENR.decodeTxt(text);
  } catch {
    throw new NodeRecordError(
      subject,
      `must be enr: and a signed node record in base64url (${text.length} characters)`,
    );
  }
  if (!isSound(record)) {
    throw new NodeRecordError(subject, SOUND);
  }
  return record;
}

/** The valid ones of the records of an option. Each other one is a warning. */
export function usableRecords(texts: readonly string[], option: string, log: Logger): ENR[] {
  return texts.flatMap((text, i) => {
    try {
      return parseRecord(text, `${option} item ${i + 1}`);
    } catch (error) {
      if (!(error instanceof NodeRecordError)) throw error;
      log.warn({ enr: text.slice(0, MAX_SHOWN_LENGTH) }, `skipped a node record: ${error.message}`);
      return [];
    }
  });
}
