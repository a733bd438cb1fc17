import { existsSync, readFileSync } from "node:fs";

/** One line of `report-mesh.mjs`. */
interface MeshLine {
  t: number;
  meshes: Record<string, string[]>;
  scores: Record<string, number>;
  /** Counts of invalid messages and misbehaviour. */
  faults: Record<string, number>;
}

export interface MeshEvidence {
  lines: number;
  /** Lines in which the peer was not in the mesh of every topic. */
  incomplete: number;
  /** Largest count of invalid messages and misbehaviour. */
  faults: number;
  lowestScore: number;
  lastScore: number;
}

/** How a reference node saw `peer` since `from`, in Unix milliseconds. Undefined if the node wrote no report. */
export function meshOf(file: string, peer: string, from: number, to: number): MeshEvidence | undefined {
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as MeshLine)
    .filter(({ t }) => t >= from && t <= to);
  const scores = lines.map((line) => line.scores[peer] ?? Number.NEGATIVE_INFINITY);
  return {
    lines: lines.length,
    incomplete: lines.filter(({ meshes }) => !TOPICS.every((topic) => meshes[topic]?.includes(peer))).length,
    faults: Math.max(...lines.map(({ faults }) => faults[peer] ?? 0)),
    lowestScore: Math.min(...scores),
    lastScore: scores.at(-1) ?? 0,
  };
}

/** Whether the last report since `since` has the peer in the mesh of every topic. */
export function lastMeshOf(file: string, peer: string, since: number): boolean {
  const last = readFileSync(file, "utf8").trim().split("\n").at(-1) ?? "{}";
  const { t, meshes } = JSON.parse(last) as MeshLine;
  return t >= since && TOPICS.every((topic) => meshes[topic]?.includes(peer));
}

const TOPICS = ["tx", "block_proposal", "checkpoint_proposal", "checkpoint_attestation"];

/** Lines of our log about rejected messages and penalties. */
export function complaints(lines: readonly string[]): string[] {
  return lines.filter((line) => /rejected a message|penalized peer|disconnecting |saying goodbye/.test(line));
}

/** Lines of a reference node's log about penalties of `peer`. */
export function penaltiesOf(log: string, peer: string): string[] {
  return readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.includes(peer) && /Penaliz/i.test(line));
}
