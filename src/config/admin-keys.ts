import { type AdminKey, idleReason, type Option, type OptionTable, UNREAD } from "./kinds/option.ts";
import { OPTIONS } from "./options.ts";
import { isLive } from "./part-values.ts";
import { ADMIN_ONLY, type AdminOnly } from "./rows/admin-only.ts";

/** Values by admin key, in the form in which the admin API sends them, amounts as bigint; an absent key is unset. */
export type AdminValues = Readonly<Record<string, unknown>>;
type AdminRows = ReadonlyMap<string, AdminOnly>;

/** All keys of the admin API's configuration: the options among them, in the order of their table, then the others. */
export function adminRows(table: OptionTable = OPTIONS as OptionTable): AdminRows {
  const options = Object.entries(table).flatMap(([name, { admin, ...option }]): [string, AdminOnly][] =>
    admin === undefined ? [] : [[name, { ...option, admin: withRefusal(admin, option) }]],
  );
  return new Map([...options, ...Object.entries<AdminOnly>(ADMIN_ONLY)]);
}

/** An option that no part takes at run time says how it is changed instead. */
function withRefusal(admin: AdminKey, option: Option): AdminKey {
  if (admin.refused !== undefined || option.to.some(isLive)) return admin;
  const atStart = `is read at the start only: set ${option.env[0]} and start the node again`;
  return { ...admin, refused: idleReason(option) === undefined ? atStart : UNREAD };
}
