import { OperatorError } from "../errors/operator-error.ts";
import type { Generation } from "../protocol/generations/generation.ts";
import { generationNamed, UnknownGenerationError } from "../protocol/generations/known/choose.ts";
import type { Store } from "./store.ts";

/**
 * Version of the store's tables and records. The program reads and writes only this version; stores of the versions
 * before are migrated (src/chain-store/migrations). A change of a layout raises it, and adds a migration.
 */
export const SCHEMA_VERSION = 4;

/** The chain that a store belongs to. Written once, at the first open. */
export interface StoreIdentity {
  schemaVersion: number;
  l1ChainId: number;
  rollupVersion: number;
  /** Lower-case 0x text. */
  rollupAddress: string;
  /** 0x text. */
  genesisArchiveRoot: string;
  /** Recorded name of the protocol's generation (src/protocol/generations/known/choose.ts): absent for the first. */
  generation?: string;
}

const FIELDS = ["l1ChainId", "rollupVersion", "rollupAddress", "genesisArchiveRoot"] as const;
/** Compared first: another generation is a plainer reason than another address. */
const COMPARED = ["generation", ...FIELDS] as const;
const KEY = Buffer.from("identity");

/** The store contains data of another chain. Its files are not changed. */
export class StoreIdentityError extends OperatorError {
  override readonly errorCode: string = "data-directory-of-another-chain";

  readonly path: string;
  readonly field: (typeof COMPARED)[number];
  readonly stored: string;
  readonly expected: string;

  constructor(path: string, field: (typeof COMPARED)[number], stored: string, expected: string) {
    super(
      `data directory ${path} belongs to another chain: its ${field} is ${stored}, this node follows ${expected}. ` +
        "Name another data directory, or remove this one",
    );
    this.name = "StoreIdentityError";
    this.path = path;
    this.field = field;
    this.stored = stored;
    this.expected = expected;
  }
}

/** The store was written by an incompatible older or newer program, or its identity record cannot be read. */
export class StoreSchemaError extends OperatorError {
  override readonly errorCode: string = "store-schema";

  readonly path: string;
  readonly found: number | undefined;

  constructor(path: string, found: number | undefined) {
    super(
      found === undefined
        ? `data directory ${path}: its identity record cannot be read`
        : `data directory ${path} has schema version ${found}, this node reads version ${SCHEMA_VERSION}. ` +
            "Name another data directory, or remove this one",
    );
    this.name = "StoreSchemaError";
    this.path = path;
    this.found = found;
  }
}

/** The store holds a chain of a protocol that this program does not know, perhaps that of a later release. */
export class StoreGenerationError extends OperatorError {
  override readonly errorCode: string = "store-generation";

  readonly path: string;
  readonly generation: string;

  constructor(path: string, cause: UnknownGenerationError) {
    const remedy = "Name another data directory, or use the release that wrote it";
    super(`data directory ${path}: ${cause.message}. ${remedy}`, { cause });
    this.name = "StoreGenerationError";
    this.path = path;
    this.generation = cause.generation;
  }
}

function isIdentity(value: unknown): value is StoreIdentity {
  if (typeof value !== "object" || value === null) return false;
  if ("generation" in value && typeof value.generation !== "string") return false;
  return "schemaVersion" in value && typeof value.schemaVersion === "number" && FIELDS.every((field) => field in value);
}

/** Throws StoreGenerationError. What a later version records is not judged. */
function checkGeneration(path: string, { schemaVersion, generation }: StoreIdentity): void {
  if (schemaVersion > SCHEMA_VERSION) return;
  try {
    generationNamed(generation);
  } catch (error) {
    if (!(error instanceof UnknownGenerationError)) throw error;
    throw new StoreGenerationError(path, error);
  }
}

/**
 * The identity record of any version; undefined in a new store. Throws StoreSchemaError if it cannot be read, or
 * StoreGenerationError.
 */
export function storedIdentity(store: Store): StoreIdentity | undefined {
  const row = store.table("identity").get(KEY);
  if (row === undefined) return undefined;
  let record: unknown;
  try {
    record = JSON.parse(Buffer.from(row).toString("utf8"));
  } catch {
    throw new StoreSchemaError(store.path, undefined);
  }
  if (isIdentity(record)) {
    checkGeneration(store.path, record);
    return record;
  }
  // Of a version with other fields, perhaps.
  const version = typeof record === "object" && record !== null && "schemaVersion" in record && record.schemaVersion;
  throw new StoreSchemaError(
    store.path,
    typeof version === "number" && version !== SCHEMA_VERSION ? version : undefined,
  );
}

/**
 * The identity record; undefined in a new store. Throws StoreSchemaError if it cannot be read or has another version,
 * or StoreGenerationError.
 */
export function readIdentity(store: Store): StoreIdentity | undefined {
  const identity = storedIdentity(store);
  if (identity !== undefined && identity.schemaVersion !== SCHEMA_VERSION) {
    throw new StoreSchemaError(store.path, identity.schemaVersion);
  }
  return identity;
}

/** To be called in a transaction. */
export function putIdentity(store: Store, identity: StoreIdentity): void {
  store.table("identity").put(KEY, Buffer.from(JSON.stringify(identity)));
}

/** The first field by which a store's identity is that of another chain. */
export function differentField(
  stored: StoreIdentity,
  chain: Omit<StoreIdentity, "schemaVersion">,
): (typeof COMPARED)[number] | undefined {
  return COMPARED.find((field) => stored[field] !== chain[field]);
}

/** Throws StoreIdentityError if a store belongs to another chain. */
export function requireChain(path: string, stored: StoreIdentity, chain: Omit<StoreIdentity, "schemaVersion">): void {
  const text = (identity: Omit<StoreIdentity, "schemaVersion">, field: (typeof COMPARED)[number]): string =>
    String(field === "generation" ? generationNamed(identity.generation).name : identity[field]);
  const field = differentField(stored, chain);
  if (field !== undefined) throw new StoreIdentityError(path, field, text(stored, field), text(chain, field));
}

/**
 * Generation of the chain of a store, the first of all for a new one. Throws StoreSchemaError or StoreGenerationError.
 */
export function storedGeneration(store: Store): Generation {
  return generationNamed(storedIdentity(store)?.generation);
}

/** Binds a new store to a chain, or checks that it is bound to it. Throws an OperatorError. */
export function claimStore(store: Store, chain: Omit<StoreIdentity, "schemaVersion">): void {
  const stored = readIdentity(store);
  if (stored === undefined) {
    // The table is opened before the transaction: opening a missing one is a transaction of its own.
    store.table("identity");
    store.transaction(() => putIdentity(store, { schemaVersion: SCHEMA_VERSION, ...chain }));
    return;
  }
  requireChain(store.path, stored, chain);
}
