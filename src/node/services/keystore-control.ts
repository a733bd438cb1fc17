import type { ActiveKeystore } from "../../keystore/active-keystore.ts";
import { KeystoreReloadRefusedError } from "../../keystore/errors.ts";
import type { KeystoreControl } from "../../rpc/admin/ports/keystore-control.ts";
import type { Logger } from "../../telemetry/logger.ts";

interface KeystoreControlOptions {
  /** KEY_STORE_DIRECTORY. */
  directory: string | undefined;
  /** Keys of the running validator; undefined if none runs. */
  keys: ActiveKeystore | undefined;
  logger: Logger;
}

/** The admin method that reloads keystore files (docs/protocol/05-rpc.md#537-other-admin-methods). */
export function keystoreControl({ directory, keys, logger }: KeystoreControlOptions): KeystoreControl {
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
      const { added, removed, withoutSender } = await keys.reload();
      logger.info({ added: added.join(" "), removed: removed.join(" ") }, "the keystore files were read again");
      if (withoutSender.length === 0) return;
      logger.warn(
        { attesters: withoutSender.join(" ") },
        "these validators attest but cannot publish: their L1 accounts were not known at the start; name a publisher " +
          "that was, or restart",
      );
    },
  };
}
