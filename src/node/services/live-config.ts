import type { Option } from "../../config/option.ts";
import { OPTIONS } from "../../config/options.ts";
import { OperatorError } from "../../errors/operator-error.ts";
import { type ConfigKeyName, type ConfigValues, configDefaults } from "../../rpc/admin/config/config-keys.ts";
import type { RuntimeConfig } from "../../rpc/admin/ports/runtime-config.ts";
import { type Applied, LIVE_KEYS, type LiveKey, type LivePart, type LiveSettings } from "../settings/live-keys.ts";

/** A part of a running node whose settings can change. */
export interface ConfigurablePart<S> {
  /** Throws a ConfigRefusedError for settings that the part does not support. */
  check?(changes: Partial<S>): void;
  configure(changes: Partial<S>): void;
}

/** Parts that this node does not have are undefined. */
export type ConfigurableParts = { readonly [P in LivePart]: ConfigurablePart<LiveSettings[P]> | undefined };

/** Keys that cannot be set to the given values, each with the reason. */
export class ConfigRefusedError extends OperatorError {
  override readonly errorCode: string = "config-refused";

  readonly fields: readonly ConfigKeyName[];

  constructor(reasons: readonly { fields: readonly ConfigKeyName[]; rule: string }[], options?: ErrorOptions) {
    const shown = reasons.map(({ fields, rule }) => `${fields.join(", ")}: ${rule}`);
    super(`${shown.join(". ")}. Nothing was changed`, options);
    this.name = "ConfigRefusedError";
    this.fields = reasons.flatMap(({ fields }) => fields);
  }
}

/** The configuration that can change at run time, according to LIVE_KEYS. Changes are not stored. */
export class LiveConfig implements RuntimeConfig {
  #values: ConfigValues;
  readonly #parts: ConfigurableParts;

  /** `configured` overrides the defaults, except where a value is undefined. */
  constructor(configured: ConfigValues, parts: ConfigurableParts) {
    this.#values = { ...configDefaults(), ...given(configured) };
    this.#parts = parts;
  }

  current(): ConfigValues {
    return this.#values;
  }

  /**
   * Applies all keys before it returns, or none: throws a ConfigRefusedError that names each refused key. A key with an
   * unchanged value is ignored.
   */
  change(values: ConfigValues): void {
    const next = { ...this.#values, ...given(values) };
    const changed = (Object.keys(given(values)) as ConfigKeyName[]).filter(
      (key) => textOf(next[key]) !== textOf(this.#values[key]),
    );
    const refusals = changed.flatMap((key) => {
      const rule = this.#refusal(key, next[key]);
      return rule === undefined ? [] : [{ key, rule }];
    });
    if (refusals.length > 0) {
      const rules = [...new Set(refusals.map(({ rule }) => rule))];
      throw new ConfigRefusedError(
        rules.map((rule) => ({ rule, fields: refusals.filter((one) => one.rule === rule).map(({ key }) => key) })),
      );
    }
    const changes = settingsOf(changed, next);
    for (const [part, settings] of changes) this.#part(part)?.check?.(settings);
    for (const [part, settings] of changes) this.#part(part)?.configure(settings);
    this.#values = next;
  }

  /** Loses the type of the settings; LIVE_KEYS ensures that a part gets only its own. */
  #part(part: LivePart): ConfigurablePart<object> | undefined {
    return this.#parts[part];
  }

  #refusal(key: ConfigKeyName, value: unknown): string | undefined {
    const row: LiveKey = LIVE_KEYS[key];
    if ("refused" in row) return row.refused;
    const rows = appliedOf(row);
    if (rows.every(({ part }) => this.#parts[part] === undefined)) return `this node runs no ${rows[0].part}`;
    const option: Option | undefined = Object.hasOwn(OPTIONS, key)
      ? (OPTIONS as Record<string, Option>)[key]
      : undefined;
    const broken = typeof value === "number" && option !== undefined && option.kind.parse(String(value)) === undefined;
    return broken ? option.kind.rule : undefined;
  }
}

function appliedOf(row: Exclude<LiveKey, { refused: string }>): readonly Applied[] {
  return "part" in row ? [row] : row;
}

function settingsOf(changed: readonly ConfigKeyName[], values: ConfigValues): Map<LivePart, object> {
  const changes = new Map<LivePart, object>();
  for (const key of changed) {
    const row: LiveKey = LIVE_KEYS[key];
    if ("refused" in row) continue;
    for (const { part, settings } of appliedOf(row)) changes.set(part, { ...changes.get(part), ...settings(values) });
  }
  return changes;
}

function textOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_, item) => (typeof item === "bigint" ? String(item) : item));
}

function given(values: ConfigValues): ConfigValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
