import { OperatorError } from "../../errors/operator-error.ts";
import { type ConfigKeyName, type ConfigValues, configDefaults } from "../../rpc/admin/config-keys.ts";
import type { RuntimeConfig } from "../../rpc/admin/services.ts";

/** What a change would make of the running configuration, and which keys it sets. Throws a ConfigRefusedError. */
type Guard = (values: ConfigValues, changed: ReadonlySet<ConfigKeyName>) => void;
type Listener = (values: ConfigValues, changed: ReadonlySet<ConfigKeyName>) => void;

/** Values that a service of this node cannot work with. */
export class ConfigRefusedError extends OperatorError {
  override readonly errorCode: string = "config-refused";

  readonly fields: readonly ConfigKeyName[];
  readonly rule: string;

  constructor(fields: readonly ConfigKeyName[], rule: string, options?: ErrorOptions) {
    super(`${fields.join(", ")}: ${rule}. Nothing was changed`, options);
    this.name = "ConfigRefusedError";
    this.fields = fields;
    this.rule = rule;
  }
}

/** The configuration that can change while the node runs. What no service heeds yet is kept and shown. Nothing is stored. */
export class LiveConfig implements RuntimeConfig {
  #values: ConfigValues;
  readonly #guards = new Set<Guard>();
  readonly #listeners = new Set<Listener>();

  /** `configured` stands over the defaults; undefined values leave them. */
  constructor(configured: ConfigValues) {
    this.#values = { ...configDefaults(), ...given(configured) };
  }

  current(): ConfigValues {
    return this.#values;
  }

  /** Throws the ConfigRefusedError of a guard, and nothing changes. */
  change(values: ConfigValues): void {
    const next = given(values);
    const changed = new Set(Object.keys(next) as ConfigKeyName[]);
    if (changed.size === 0) return;
    const merged = { ...this.#values, ...next };
    for (const guard of this.#guards) guard(merged, changed);
    this.#values = merged;
    for (const listener of this.#listeners) listener(this.#values, changed);
  }

  /** Asked before a change is made. Returns the way to leave. */
  guard(guard: Guard): () => boolean {
    this.#guards.add(guard);
    return () => this.#guards.delete(guard);
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
