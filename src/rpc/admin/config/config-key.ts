import type { Codec } from "../../codecs/json/codec.ts";

/** A configuration key that admin calls can show and change. */
export interface ConfigKey {
  readonly codec: Codec<unknown>;
  /** The only API with this key; absent: both have it. */
  readonly only?: "node" | "svc";
  /** Shown as [Redacted]. */
  readonly secret?: true;
}

/** Values by key, amounts as bigint; an absent key is unset. */
export type ConfigValues = Readonly<Record<string, unknown>>;
