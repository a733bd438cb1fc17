import { OperatorError } from "../../../errors/operator-error.ts";
import type { Generation } from "../generation.ts";
import { V4 } from "../v4/v4.ts";
import { V5 } from "../v5/v5.ts";

/** What a rollup commits to, as 0x text; undefined where it does not answer. */
export interface Commitments {
  vkTreeRoot: string | undefined;
  protocolContractsHash: string | undefined;
}

/** The generations whose rollups this program follows, oldest first. */
export const GENERATIONS: readonly [Generation, ...Generation[]] = [V4, V5];

/** Those in whose networks this program also has peers, builds blocks and proves. */
export const GENERATIONS_WITH_DUTIES: readonly Generation[] = [V4];

/** Where there is no rollup to ask: of rollups to deploy, bootnodes' records, and agents that prove for a broker. */
export const DEFAULT_GENERATION: Generation = V4;

/** The generation of a rollup by what it commits to (docs/protocol/04-l1-contracts.md#436-generations). */
export function generationOf({ vkTreeRoot, protocolContractsHash }: Commitments): Generation | undefined {
  return GENERATIONS.find(
    ({ contracts }) => contracts.vkTreeRoot === vkTreeRoot && contracts.protocolContractsHash === protocolContractsHash,
  );
}

/** Their names as a list in words. */
export const GENERATION_NAMES = GENERATIONS.map(({ name }) => name).join(" or ");

/** A record names a generation that this program does not know, perhaps that of a later one. */
export class UnknownGenerationError extends OperatorError {
  override readonly errorCode: string = "unknown-generation";

  readonly generation: string;
  constructor(generation: string) {
    super(`protocol ${generation} is not known to this program, which knows ${GENERATION_NAMES}`);
    this.name = "UnknownGenerationError";
    this.generation = generation;
  }
}

/**
 * A generation's name in records and messages to threads. That of the first is left out: its records were written
 * before there was another.
 */
export function recordedName(generation: Generation): string | undefined {
  return generation === GENERATIONS[0] ? undefined : generation.name;
}

/** All names of records. */
export const RECORDED_NAMES = GENERATIONS.flatMap((generation) => recordedName(generation) ?? []);

/** Inverse of recordedName. Throws an UnknownGenerationError. */
export function generationNamed(name: string | undefined): Generation {
  if (name === undefined) return GENERATIONS[0];
  const generation = GENERATIONS.find((one) => one.name === name);
  if (generation === undefined) throw new UnknownGenerationError(name);
  return generation;
}
