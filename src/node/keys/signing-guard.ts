import { join } from "node:path";
import { reveal } from "../../config/configuration.ts";
import { MissingOptionError } from "../../config/errors.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { EndpointBook } from "../../endpoints/endpoint-book.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { type HaGroup, openSigningGuard } from "../../validator/open-signing-guard.ts";
import type { SigningGuard } from "../../validator/signing/signing-guard.ts";

/** The configured high-availability group, if there is one. Throws MissingOptionError. */
export function configuredGroup(values: PartValues["signing"]): HaGroup | undefined {
  if (!values.enabled) return undefined;
  const { nodeId, pollingIntervalMs, signingTimeoutMs } = values;
  const databaseUrl = reveal(values.databaseUrl);
  if (databaseUrl === undefined) {
    throw new MissingOptionError(
      "databaseUrl",
      "high-availability signing needs a database: give VALIDATOR_HA_DATABASE_URL",
    );
  }
  if (nodeId === undefined) {
    throw new MissingOptionError(
      "nodeId",
      "high-availability signing needs an id of this node that no other node of the group has: give VALIDATOR_HA_NODE_ID",
    );
  }
  return {
    databaseUrl,
    nodeId,
    pollingIntervalMs,
    signingTimeoutMs,
    stuckAgeMs: values.stuckAgeMs,
    signedAgeHours: values.signedAgeHours,
    pool: values.pool,
  };
}

interface NodeSigning {
  values: PartValues["signing"];
  directory: { path: string };
  identity: Pick<RollupIdentity, "addresses" | "constants">;
  /** Unix time in ms. */
  now(): number;
  endpoints?: EndpointBook;
  logger: Logger;
}

/**
 * Opens the node's signing guard over the folder `signing` of its data directory. Rejects with an OperatorError, among
 * them MissingOptionError.
 */
export async function openNodeSigningGuard(
  { values, directory, identity, now, endpoints, logger }: NodeSigning,
  signal?: AbortSignal,
): Promise<SigningGuard> {
  return openSigningGuard(
    {
      folder: join(directory.path, "signing"),
      rollup: identity.addresses.rollupAddress.toLowerCase(),
      times: identity.constants,
      now,
      group: configuredGroup(values),
      endpoints,
      logger,
    },
    signal,
  );
}
