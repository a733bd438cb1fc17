import type { ConfigValues } from "../config/config-keys.ts";

/** The running configuration that admin calls read and change. */
export interface RuntimeConfig {
  current(): ConfigValues;
  /**
   * Merges; services that heed a changed key are told before the call returns. Throws, and nothing changes, what one
   * cannot work with.
   */
  change(values: ConfigValues): void;
}
