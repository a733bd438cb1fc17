import { releaseOf, versionOf } from "../../p2p/discovery/node-record.ts";
import { parseRecord } from "../../p2p/discovery/record-rules.ts";

/** The fields of a node record, one a line. Throws a NodeRecordError. */
export function recordLines(text: string): string[] {
  const record = parseRecord(text.trim(), "the record");
  const { peerId, ip, udp, tcp } = record;
  return [
    `PeerID: ${peerId}`,
    `IP: ${ip}`,
    `UDP: ${udp}`,
    `TCP: ${tcp}`,
    `Aztec version: ${versionOf(record)}`,
    `Aztec client version ${releaseOf(record) ?? "N/A"}`,
  ];
}
