import { existsSync } from "node:fs";
import type { PartValues } from "../../../config/part-values.ts";
import { DataDirectoryError } from "../../../process/data-directory.ts";
import { databasesIn, type NamedStats, readStats } from "./read-stats.ts";

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Bytes with three digits at least, in the largest unit of which there is one. */
export function shownBytes(bytes: number): string {
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(value >= 10 ? 1 : 2)} ${UNITS[unit]}`;
}

/** A heading with the sizes of the database, then a line for each table. */
export function statsLines(stats: NamedStats): string[] {
  const { name, mapBytes, fileBytes, freePages, pageBytes, readers, diskFreeBytes, tables } = stats;
  const facts = [
    `${shownBytes(fileBytes)} on disk`,
    ...(mapBytes === undefined
      ? []
      : [`${((100 * fileBytes) / mapBytes).toFixed(1)} % of the ${shownBytes(mapBytes)} it may reach`]),
    `${freePages} free pages (${shownBytes(freePages * pageBytes)})`,
    `${readers} readers`,
    `${shownBytes(diskFreeBytes)} free on its disk`,
  ];
  const width = Math.max(...[...tables.keys()].map(({ length }) => length), 5);
  const rows = [...tables].map(
    ([table, { entries, bytes }]) =>
      `  ${table.padEnd(width)}  ${String(entries).padStart(12)}  ${shownBytes(bytes).padStart(10)}`,
  );
  const head = `  ${"table".padEnd(width)}  ${"entries".padStart(12)}  ${"bytes".padStart(10)}`;
  return [`${name}: ${facts.join(", ")}`, head, ...rows, ""];
}

function asJson(stats: NamedStats): object {
  return { ...stats, tables: Object.fromEntries(stats.tables) };
}

/**
 * `svc db stats`. A database that cannot be read is a line on standard error, and exit code 1. Throws a
 * DataDirectoryError.
 */
export async function runStats(
  directory: string | undefined,
  sizes: PartValues["storage"],
  json: boolean,
): Promise<void> {
  if (directory === undefined) throw new DataDirectoryError("(none)", "must be named with --data-directory");
  if (!existsSync(directory)) throw new DataDirectoryError(directory, "does not exist");
  const read: NamedStats[] = [];
  for (const name of databasesIn(directory)) {
    try {
      read.push(await readStats(directory, name, sizes));
    } catch (error) {
      process.stderr.write(`${name}: ${error instanceof Error ? error.message : error}\n`);
      process.exitCode = 1;
    }
  }
  if (json) process.stdout.write(`${JSON.stringify({ directory, databases: read.map(asJson) }, undefined, 2)}\n`);
  else process.stdout.write(`${[...read.flatMap(statsLines)].join("\n")}`);
  if (read.length === 0 && process.exitCode === undefined) {
    throw new DataDirectoryError(directory, "holds no database");
  }
}
