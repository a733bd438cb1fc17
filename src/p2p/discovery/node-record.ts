import { type ENR, SignableENR } from "@chainsafe/enr";
import { bootnodeVersion } from "../../protocol/consensus/component-version.ts";
import type { ContractRules } from "../../protocol/generations/contracts.ts";
import type { PeerIdentity } from "../identity/peer-identity.ts";

/** A node's own record, EIP-778 (docs/protocol/10-peers.md#103-node-records). */
export interface RecordContent {
  /** The version string. */
  version: string;
  /** Release of the network that the node speaks; a bootnode names none. */
  release: string | undefined;
  /** IPv4 address to announce; without one the record has no ports either. */
  ip: string | undefined;
  udp: number;
  /** A bootnode has none. */
  tcp: number | undefined;
}

/** Key of the version string. */
const VERSION_KEY = "aztec";
/** Key of the release. */
const RELEASE_KEY = "ver";

/** Sequence number of a bootnode's first record, so that it can be known before the bootnode runs. */
export const BOOTNODE_FIRST_SEQUENCE = 4n;

export function bootnodeContent(
  { l1ChainId, ip, udp }: { l1ChainId: number; ip: string; udp: number },
  contracts: ContractRules,
): RecordContent {
  return { version: bootnodeVersion(l1ChainId, contracts), release: undefined, ip, udp, tcp: undefined };
}

/** Signs a record. A later change of the returned record raises its sequence number. */
export function signedRecord(identity: PeerIdentity, content: RecordContent, sequence: bigint): SignableENR {
  const { version, release, ip, udp, tcp } = content;
  const record = SignableENR.createV4(identity.privateKey.raw);
  record.set(VERSION_KEY, Buffer.from(version));
  if (release !== undefined) record.set(RELEASE_KEY, Buffer.from(release));
  if (ip !== undefined) {
    record.ip = ip;
    record.udp = udp;
    record.tcp = tcp;
  }
  record.seq = sequence;
  return record;
}

/** A record's version string; undefined if it names none. */
export function versionOf({ kvs }: ENR | SignableENR): string | undefined {
  return textOf(kvs.get(VERSION_KEY));
}

export function releaseOf({ kvs }: ENR | SignableENR): string | undefined {
  return textOf(kvs.get(RELEASE_KEY));
}

function textOf(value: Uint8Array | undefined): string | undefined {
  return value === undefined ? undefined : Buffer.from(value).toString("utf8");
}
