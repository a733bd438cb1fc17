import { OperatorError } from "../../errors/operator-error.ts";
import { inspectStore } from "../../storage/inspect.ts";
import { openStore, type Store } from "../../storage/store.ts";

const SCHEMA = "1";

/** The store of signatures has an unknown schema version. */
class SigningStoreSchemaError extends OperatorError {
  override readonly errorCode: string = "signing-record";

  override readonly name = "SigningStoreSchemaError";
  readonly path: string;
  readonly found: string;

  constructor(path: string, found: string) {
    super(`the store of signatures ${path} has schema version ${found}; this program reads version ${SCHEMA}`);
    this.path = path;
    this.found = found;
  }
}

/**
 * Opens or creates the store of signatures in a folder, docs/store-format.md#store-of-signatures. It is separate from
 * the chain store, which may be replaced by a snapshot. Throws SigningStoreSchemaError, DamagedStoreError,
 * StoreCorruptedError or StoreFullError.
 */
export function openSigningStore(path: string): Store {
  inspectStore(path);
  const store = openStore({ path });
  const schema = store.table("signing_schema");
  const field = Buffer.from("version");
  const found = schema.get(field);
  if (found === undefined) {
    store.transaction(() => schema.put(field, Buffer.from(SCHEMA)));
  } else if (Buffer.from(found).toString() !== SCHEMA) {
    void store.close();
    throw new SigningStoreSchemaError(path, Buffer.from(found).toString());
  }
  return store;
}
