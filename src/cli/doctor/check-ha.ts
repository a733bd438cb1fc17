import type { PartValues } from "../../config/part-values.ts";
import { OperatorError } from "../../errors/operator-error.ts";
import { configuredGroup } from "../../node/keys/signing-guard.ts";
import { DutyDatabase } from "../../validator/signing/postgres/duty-database.ts";
import { type Finding, fail, ok, skip } from "./finding.ts";

/** The database of high-availability signing: reached, migrated. */
export async function checkHa(values: PartValues["signing"]): Promise<Finding> {
  const check = "HA database";
  let database: DutyDatabase | undefined;
  try {
    const group = configuredGroup(values);
    if (group === undefined) return skip(check, "VALIDATOR_HA_SIGNING_ENABLED is not set");
    database = new DutyDatabase(group.databaseUrl, { ...group.pool, minConnections: 0 }, () => undefined);
    await database.open();
    return ok(check, `it answers and has its tables; this node is ${group.nodeId}`);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return fail(check, error.message, remedyFor(error.message));
  } finally {
    await database?.close();
  }
}

function remedyFor(message: string): string {
  if (/migrate|schema version/.test(message)) return "DATABASE_URL=... svc migrate-ha-db up";
  return "check VALIDATOR_HA_DATABASE_URL and that the server takes connections from here; nothing is signed without it";
}
