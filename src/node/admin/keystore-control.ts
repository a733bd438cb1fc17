import type { ActiveKeystore } from "../../keystore/active-keystore.ts";
import { KeystoreReloadRefusedError } from "../../keystore/errors.ts";
import type { KeystoreControl } from "../../rpc/ports/admin/keystore-control.ts";

export interface KeystoreControlOptions {
  /** KEY_STORE_DIRECTORY. */
  directory: string | undefined;
  /** Keys of the running validator; undefined if none runs. */
  keys: ActiveKeystore | undefined;
}

/** The admin method that reloads keystore files (docs/protocol/05-rpc.md#537-other-admin-methods). */
export function keystoreControl({ directory, keys }: KeystoreControlOptions): KeystoreControl {
  return {
    async reload() {
      if (directory === undefined) {
        throw new KeystoreReloadRefusedError(
          "Cannot reload keystore: node is not using a file-based keystore. Set KEY_STORE_DIRECTORY to use file-based keystores.",
        );
      }
      if (keys === undefined) {
        throw new KeystoreReloadRefusedError("Cannot reload keystore: validator is not enabled.");
      }
      await keys.reload();
    },
  };
}
