import { KeystoreError } from "./errors.ts";
import type { AccountsSpec, KeystoreFile, ProverSpec, RemoteSigner, ValidatorSpec } from "./file-types.ts";

/** The merged contents of several keystore files (docs/protocol/08-building-and-checkpoints.md#826-keys). */
export interface MergedKeystore {
  validators: ValidatorSpec[];
  slasher: AccountsSpec[];
  prover?: ProverSpec;
  /** Remote signer of accounts that name none. If several files give one, the last wins. */
  remoteSigner?: RemoteSigner;
  publisher: AccountsSpec[];
  coinbase?: string;
  feeRecipient?: string;
}

const LAST_WINS = ["remoteSigner", "coinbase", "feeRecipient"] as const;

/**
 * Merges files in order. When several files give a default, the last one wins and `warn` is called. At most one file
 * may give the prover, and a file with validators must have the highest schema version of all. Throws KeystoreError.
 */
export function mergeKeystoreFiles(
  files: readonly KeystoreFile[],
  warn: (facts: object, message: string) => void,
): MergedKeystore {
  const newest = files.find(({ schemaVersion }) => schemaVersion === 2) ?? files[0];
  const merged: MergedKeystore = { validators: [], slasher: [], publisher: [] };
  for (const file of files) {
    const broken = (field: string, rule: string) => new KeystoreError([{ file: file.path, field, rule }]);
    if (file.validators.length > 0 && file.schemaVersion !== newest.schemaVersion) {
      throw broken("schemaVersion", `must be ${newest.schemaVersion} as in ${newest.path}`);
    }
    merged.validators.push(...file.validators);
    if (file.prover !== undefined) {
      if (merged.prover !== undefined) throw broken("prover", "must be given in one file only");
      merged.prover = file.prover;
    }
    for (const key of LAST_WINS) {
      if (file[key] === undefined) continue;
      if (merged[key] !== undefined) warn({ file: file.path, field: key }, "a later keystore file replaces a default");
      Object.assign(merged, { [key]: file[key] });
    }
    accumulate(merged.slasher, file.slasher);
    accumulate(merged.publisher, file.publisher);
  }
  return merged;
}

/** Lists are concatenated. A mnemonic replaces what was there, and is replaced by what follows. */
function accumulate(all: AccountsSpec[], more: AccountsSpec | undefined): void {
  if (more === undefined) return;
  if (more.kind === "mnemonic" || all.some(({ kind }) => kind === "mnemonic")) all.length = 0;
  all.push(more);
}
