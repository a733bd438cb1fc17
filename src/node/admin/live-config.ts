import { type ConfigKeyName, type ConfigValues, configDefaults } from "../../rpc/admin/config-keys.ts";
import type { RuntimeConfig } from "../../rpc/admin/services.ts";

type Listener = (values: ConfigValues, changed: ReadonlySet<ConfigKeyName>) => void;

/** The configuration that can change while the node runs. What no service heeds yet is kept and shown. Nothing is stored. */
export class LiveConfig implements RuntimeConfig {
  #values: ConfigValues;
  readonly #listeners = new Set<Listener>();

  /** `configured` stands over the defaults; undefined values leave them. */
  constructor(configured: ConfigValues) {
    this.#values = { ...configDefaults(), ...given(configured) };
  }

  current(): ConfigValues {
    return this.#values;
  }

  change(values: ConfigValues): void {
    const next = given(values);
    this.#values = { ...this.#values, ...next };
    const changed = new Set(Object.keys(next) as ConfigKeyName[]);
    if (changed.size === 0) return;
    for (const listener of this.#listeners) listener(this.#values, changed);
  }

  /** Listeners are told all values and which were set. Returns the way to leave. */
  onChange(listener: Listener): () => boolean {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function given(values: ConfigValues): ConfigValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
