import type { Option, OptionTable, Place, ValueOf, ValuesOf } from "./kinds/option.ts";
import { OPTIONS } from "./options.ts";
import type { ADMIN_ONLY } from "./rows/admin-only.ts";

/** A place's path and the type of the value there. */
type At<O, P> = P extends string
  ? [P, ValueOf<O>]
  : P extends { path: infer S extends string; as(value: never): infer V }
    ? [S, V]
    : P extends { path: infer S extends string }
      ? [S, ValueOf<O>]
      : never;
type EntryOf<O> = O extends { to: readonly (infer P)[] } ? At<O, P> : never;
type Flat<E extends [string, unknown]> = { readonly [X in E as X[0]]: X[1] };
type Head<S> = S extends `${infer H}.${string}` ? H : S;
type Below<M, H extends string> = { readonly [K in keyof M as K extends `${H}.${infer Rest}` ? Rest : never]: M[K] };
type Nested<M> = {
  readonly [H in Head<keyof M> & string]: H extends keyof M ? M[H] : Nested<Below<M, H>>;
};

/** The values that each part of a node gets, by the places of the rows. */
type PartValuesOf<R> = Nested<Flat<EntryOf<R[keyof R]>>>;
export type PartValues = PartValuesOf<typeof OPTIONS>;

type LiveEntryOf<O> = O extends { to: readonly (infer P)[] } ? (P extends { live: true } ? At<O, P> : never) : never;
type LiveRows = typeof OPTIONS & typeof ADMIN_ONLY;
/** The values that parts take while a node runs. */
export type LiveValues = Nested<Flat<LiveEntryOf<LiveRows[keyof LiveRows]>>>;

export const pathOf = (place: Place): string => (typeof place === "string" ? place : place.path);
export const isLive = (place: Place): boolean => typeof place !== "string" && place.live;

function valueAt(place: Place, value: unknown): unknown {
  return typeof place !== "string" && "as" in place ? place.as(value) : value;
}

/** Puts the values of options into the places of their rows. */
export function nested(
  rows: Iterable<readonly [Pick<Option, "to">, unknown]>,
): Record<string, Record<string, unknown>> {
  const root: Record<string, Record<string, unknown>> = {};
  for (const [{ to }, value] of rows) {
    for (const place of to) {
      const names = pathOf(place).split(".");
      const last = names.pop() ?? "";
      const group = names.reduce<Record<string, unknown>>((at, name) => {
        at[name] ??= {};
        return at[name] as Record<string, unknown>;
      }, root);
      group[last] = valueAt(place, value);
    }
  }
  return root;
}

export function partValues(values: ValuesOf<typeof OPTIONS>): PartValues;
export function partValues<R extends OptionTable>(values: ValuesOf<R>, table: R): PartValuesOf<R>;
/** The values of each part, from those of the options. */
export function partValues(values: Readonly<Record<string, unknown>>, table: OptionTable = OPTIONS as OptionTable) {
  return nested(Object.entries(table).map(([key, option]) => [option, values[key]] as const));
}
