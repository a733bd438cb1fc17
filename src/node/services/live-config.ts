import { type AdminValues, adminRows } from "../../config/admin-keys.ts";
import type { OptionTable } from "../../config/kinds/option.ts";
import { isLive, type LiveValues, nested, pathOf } from "../../config/part-values.ts";
import { OperatorError } from "../../errors/operator-error.ts";
import type { ConfigKey } from "../../rpc/admin/config/config-key.ts";
import type { RuntimeConfig } from "../../rpc/admin/ports/runtime-config.ts";
import { adminKeys } from "../settings/admin-keys.ts";

export type LivePart = keyof LiveValues;

/** A part of a running node whose settings can change. */
export interface ConfigurablePart<S> {
  /** Throws a ConfigRefusedError for settings that the part does not support. */
  check?(changes: Partial<S>): void;
  configure(changes: Partial<S>): void;
}

/** Parts that this node does not have are undefined. */
export type ConfigurableParts = { readonly [P in LivePart]: ConfigurablePart<LiveValues[P]> | undefined };

/** Keys that cannot be set to the given values, each with the reason. */
export class ConfigRefusedError extends OperatorError {
  override readonly errorCode: string = "config-refused";

  readonly fields: readonly string[];

  constructor(reasons: readonly { fields: readonly string[]; rule: string }[], options?: ErrorOptions) {
    const shown = reasons.map(({ fields, rule }) => `${fields.join(", ")}: ${rule}`);
    super(`${shown.join(". ")}. Nothing was changed`, options);
    this.name = "ConfigRefusedError";
    this.fields = reasons.flatMap(({ fields }) => fields);
  }
}

/** The configuration that can change at run time, by the rows of the options. Changes are not stored. */
export class LiveConfig implements RuntimeConfig {
  readonly keys: ReadonlyMap<string, ConfigKey>;
  readonly #rows: ReturnType<typeof adminRows>;
  readonly #parts: ConfigurableParts;
  #values: AdminValues;
  #live: LiveValues;

  constructor(configured: AdminValues, parts: ConfigurableParts, table?: OptionTable) {
    this.keys = adminKeys(table);
    this.#rows = adminRows(table);
    this.#parts = parts;
    this.#values = configured;
    this.#live = this.#liveOf(configured);
  }

  current(): AdminValues {
    return this.#values;
  }

  /** What the parts were told last. */
  live(): LiveValues {
    return this.#live;
  }

  /**
   * Applies all keys before it returns, or none: throws a ConfigRefusedError that names each refused key. A key with an
   * unchanged value is ignored.
   */
  change(values: AdminValues): void {
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    const next = { ...this.#values, ...given };
    const changed = Object.keys(given).filter((key) => textOf(next[key]) !== textOf(this.#values[key]));
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
    const live = this.#liveOf(next);
    const changes = this.#changes(changed, live);
    for (const [part, members] of changes) this.#part(part)?.check?.(members);
    for (const [part, members] of changes) this.#part(part)?.configure(members);
    this.#values = next;
    this.#live = live;
  }

  /** Loses the type of the values; the places of the rows ensure that a part gets only its own. */
  #part(part: string): ConfigurablePart<object> | undefined {
    return this.#parts[part as LivePart];
  }

  #places(key: string): string[][] {
    const places = this.#rows.get(key)?.to ?? [];
    return places.filter(isLive).map((place) => pathOf(place).split("."));
  }

  #refusal(key: string, value: unknown): string | undefined {
    const row = this.#rows.get(key);
    if (row === undefined) return "is no key";
    if (row.admin.refused !== undefined) return row.admin.refused;
    const parts = this.#places(key).map(([part]) => part);
    if (parts.every((part) => this.#part(part) === undefined)) return `this node runs no ${parts[0]}`;
    return typeof value === "number" && row.kind.parse(String(value)) === undefined ? row.kind.rule : undefined;
  }

  #liveOf(values: AdminValues): LiveValues {
    const rows = [...this.#rows].map(([name, { to, kind, default: unset }]) => {
      const sent = values[name];
      const value = sent === undefined ? unset : (kind.fromJson?.(sent) ?? sent);
      return [{ to: to.filter(isLive) }, value] as const;
    });
    return nested(rows) as unknown as LiveValues;
  }

  /** The members of each part that the changed keys reach, whole. */
  #changes(changed: readonly string[], live: LiveValues): Map<string, object> {
    const changes = new Map<string, object>();
    for (const [part, member] of changed.flatMap((key) => this.#places(key))) {
      const values: Readonly<Record<string, unknown>> = live[part as LivePart];
      changes.set(part, { ...changes.get(part), [member]: values[member] });
    }
    return changes;
  }
}

function textOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_, item) => (typeof item === "bigint" ? String(item) : item));
}
