import { StoreMismatchError } from "../archiver/errors.ts";
import { CoreNotBuiltError } from "../core/load-core.ts";
import { BlobSourceConfigurationError, NoBlobSourceReachableError } from "../l1/blobs/errors.ts";
import { L1Error } from "../l1/errors.ts";
import { ListenError } from "../rpc/http/listener.ts";
import { DirectoryLockedError } from "../storage/directory-lock.ts";
import { StoreIdentityError, StoreSchemaError } from "../storage/identity.ts";
import { DamagedStoreError } from "../storage/inspect.ts";
import { ObjectStoreUrlError } from "../storage/objects/errors.ts";
import { AdminKeyFileError, AdminKeyHashError } from "./admin/api-key.ts";
import { ClockDriftError } from "./connect-l1.ts";
import { DataDirectoryError } from "./data-directory.ts";

const KINDS = [
  AdminKeyFileError,
  AdminKeyHashError,
  BlobSourceConfigurationError,
  ClockDriftError,
  CoreNotBuiltError,
  DamagedStoreError,
  DataDirectoryError,
  DirectoryLockedError,
  L1Error,
  ListenError,
  NoBlobSourceReachableError,
  ObjectStoreUrlError,
  StoreIdentityError,
  StoreMismatchError,
  StoreSchemaError,
];

/** Whether an error of the start is one for the operator to mend: its message names the thing and the rule, a stack adds nothing. */
export function isOperatorError(error: unknown): boolean {
  return KINDS.some((kind) => error instanceof kind);
}
