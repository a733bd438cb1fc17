import { StoreMismatchError } from "../archiver/errors.ts";
import { CoreNotBuiltError } from "../core/load-core.ts";
import { KeystoreError } from "../keystore/errors.ts";
import { BlobSourceConfigurationError, NoBlobSourceReachableError } from "../l1/blobs/errors.ts";
import { L1Error } from "../l1/errors.ts";
import { L1TxStoreError } from "../l1/tx/errors.ts";
import { ListenError } from "../rpc/http/listener.ts";
import { TimetableError } from "../sequencer/timetable/timetable.ts";
import { DirectoryLockedError } from "../storage/directory-lock.ts";
import { StoreIdentityError, StoreSchemaError } from "../storage/identity.ts";
import { DamagedStoreError } from "../storage/inspect.ts";
import { ObjectStoreUrlError } from "../storage/objects/errors.ts";
import { AdminKeyFileError, AdminKeyHashError } from "./admin/api-key.ts";
import { BotRefusedError } from "./bot/errors.ts";
import { ClockDriftError } from "./connect-l1.ts";
import { DataDirectoryError } from "./data-directory.ts";
import { AnvilError } from "./local-network/anvil-binary.ts";
import { NotADevelopmentL1Error } from "./local-network/development-l1.ts";
import { SetUpError } from "./local-network/set-up.ts";

const KINDS = [
  AdminKeyFileError,
  AdminKeyHashError,
  AnvilError,
  BlobSourceConfigurationError,
  BotRefusedError,
  ClockDriftError,
  CoreNotBuiltError,
  DamagedStoreError,
  DataDirectoryError,
  DirectoryLockedError,
  KeystoreError,
  L1Error,
  L1TxStoreError,
  ListenError,
  NoBlobSourceReachableError,
  NotADevelopmentL1Error,
  ObjectStoreUrlError,
  SetUpError,
  StoreIdentityError,
  StoreMismatchError,
  StoreSchemaError,
  TimetableError,
];

/** Whether an error of the start is one for the operator to mend: its message names the thing and the rule, a stack adds nothing. */
export function isOperatorError(error: unknown): boolean {
  return KINDS.some((kind) => error instanceof kind);
}
