import type { ConfigKey, ConfigValues } from "../config/config-key.ts";

/** The running configuration that admin calls read and change. */
export interface RuntimeConfig {
  readonly keys: ReadonlyMap<string, ConfigKey>;
  current(): ConfigValues;
  /**
   * Merges; services that heed a changed key are told before the call returns. Throws, and nothing changes, what one
   * cannot work with.
   */
  change(values: ConfigValues): void;
}
