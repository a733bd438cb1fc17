/**
 * Tables and statements of the database that the nodes of a high-availability group share. Nodes of the reference may
 * be in the group: names, types, keys and the meaning of each statement are those of its release 4.1.2.
 */

/** Value of the `schema_version` table. */
export const SCHEMA_VERSION = 1;

export const SCHEMA_UP = [
  `CREATE TABLE IF NOT EXISTS schema_version (
  version INTEGER PRIMARY KEY,
  applied_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP
)`,
  `CREATE TABLE IF NOT EXISTS validator_duties (
  rollup_address VARCHAR(42) NOT NULL,
  validator_address VARCHAR(42) NOT NULL,
  slot BIGINT NOT NULL,
  block_number BIGINT NOT NULL,
  block_index_within_checkpoint INTEGER NOT NULL DEFAULT 0,
  duty_type VARCHAR(30) NOT NULL CHECK (duty_type IN ('BLOCK_PROPOSAL', 'CHECKPOINT_PROPOSAL', 'ATTESTATION',
    'ATTESTATIONS_AND_SIGNERS', 'GOVERNANCE_VOTE', 'SLASHING_VOTE')),
  status VARCHAR(20) NOT NULL CHECK (status IN ('signing', 'signed')),
  message_hash VARCHAR(66) NOT NULL,
  signature VARCHAR(132),
  node_id VARCHAR(255) NOT NULL,
  lock_token VARCHAR(64) NOT NULL,
  started_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  completed_at TIMESTAMP,
  error_message TEXT,
  PRIMARY KEY (rollup_address, validator_address, slot, duty_type, block_index_within_checkpoint),
  CHECK (completed_at IS NULL OR completed_at >= started_at)
)`,
  "CREATE INDEX IF NOT EXISTS idx_validator_duties_status ON validator_duties (status, started_at)",
  "CREATE INDEX IF NOT EXISTS idx_validator_duties_node ON validator_duties (node_id, started_at)",
  `INSERT INTO schema_version (version) VALUES (${SCHEMA_VERSION}) ON CONFLICT (version) DO NOTHING`,
];

export const SCHEMA_DOWN = ["DROP TABLE IF EXISTS validator_duties", "DROP TABLE IF EXISTS schema_version"];

export const READ_SCHEMA_VERSION = "SELECT version FROM schema_version ORDER BY version DESC LIMIT 1";

/**
 * Names the table: a table made anew has another oid, and TRUNCATE, VACUUM FULL and CLUSTER give it another file.
 */
const tableId = (oid: string) => `${oid}::text || '/' || pg_relation_filenode(${oid}::oid)::text AS table_id`;

/** Whether the signed row with the given key is there as that version; true if the version is null. */
function hasWitness(rollup: string, [validator, slot, kind, index, version]: readonly string[]): string {
  return `(${version}::text IS NULL OR EXISTS (SELECT 1 FROM validator_duties
  WHERE rollup_address = ${rollup} AND validator_address = ${validator} AND slot = ${slot} AND duty_type = ${kind}
    AND block_index_within_checkpoint = ${index} AND status = 'signed' AND xmin::text = ${version})) AS has_witness`;
}

/**
 * Where the server is. `history` lists the columns of database-continuity.ts. Values: rollup; validator, slot, kind,
 * index and version of the witness, null without one.
 */
export function readPosition(history: string): string {
  return `SELECT ${history}, ${tableId("'validator_duties'::regclass::oid")},
  ${hasWitness("$1", ["$2", "$3", "$4", "$5", "$6"])}`;
}

/**
 * The newest signed row of a rollup above a slot, with its version: the transaction that wrote it, which a row keeps
 * until it is written again. Values: rollup, slot.
 */
export const READ_WITNESS = `SELECT validator_address, slot::text, duty_type, block_index_within_checkpoint,
  xmin::text AS version
FROM validator_duties WHERE rollup_address = $1 AND slot > $2 AND status = 'signed' ORDER BY slot DESC LIMIT 1`;

/**
 * Inserts a duty with status `signing`, or returns the row that is there. Values: rollup, validator, slot, block
 * number, index, kind, message hash, node id, lock token; validator, slot, kind, index and version of the witness.
 * `history` lists the columns of database-continuity.ts. `version` is the transaction that wrote the row.
 *
 * `mine` is also true for a row that an earlier try with the same token inserted and whose answer was lost. Without a
 * row in the answer, another transaction committed the row after this statement began; the statement must be repeated.
 */
export function insertOrGet(history: string): string {
  const witness = hasWitness("$1", ["$10", "$11", "$12", "$13", "$14"]);
  return `WITH inserted AS (
  INSERT INTO validator_duties (rollup_address, validator_address, slot, block_number, block_index_within_checkpoint,
    duty_type, status, message_hash, node_id, lock_token, started_at)
  VALUES ($1, $2, $3, $4, $5, $6, 'signing', $7, $8, $9, CURRENT_TIMESTAMP)
  ON CONFLICT (rollup_address, validator_address, slot, duty_type, block_index_within_checkpoint) DO NOTHING
  RETURNING status, message_hash, node_id, ${tableId("tableoid")}, xmin::text AS version, TRUE AS mine
)
SELECT *, ${history}, ${witness} FROM inserted
UNION ALL
SELECT status, message_hash, node_id, ${tableId("tableoid")}, xmin::text, lock_token = $9, ${history}, ${witness}
FROM validator_duties
WHERE rollup_address = $1 AND validator_address = $2 AND slot = $3 AND duty_type = $6
  AND block_index_within_checkpoint = $5 AND NOT EXISTS (SELECT 1 FROM inserted)`;
}

/**
 * Marks the duty with the lock token as signed and returns the row's version, or nothing if the lock is gone. Values:
 * signature, rollup, validator, slot, kind, index, token.
 * Repeating it with the same signature is harmless, so a lost answer can be asked for again. The times may come from
 * two servers whose clocks differ, and the table wants them in order.
 */
export const MARK_SIGNED = `UPDATE validator_duties
SET status = 'signed', signature = $1, completed_at = GREATEST(started_at, CURRENT_TIMESTAMP::timestamp)
WHERE rollup_address = $2 AND validator_address = $3 AND slot = $4 AND duty_type = $5
  AND block_index_within_checkpoint = $6 AND lock_token = $7
  AND (status = 'signing' OR (status = 'signed' AND signature = $1))
RETURNING xmin::text AS version`;

/** Deletes a duty that was not signed. Values: rollup, validator, slot, kind, index, token. */
export const RELEASE_LOCK = `DELETE FROM validator_duties
WHERE rollup_address = $1 AND validator_address = $2 AND slot = $3 AND duty_type = $4
  AND block_index_within_checkpoint = $5 AND status = 'signing' AND lock_token = $6`;

/** Values: node id, age in ms. */
export const DELETE_STUCK = `DELETE FROM validator_duties
WHERE node_id = $1 AND status = 'signing' AND started_at < CURRENT_TIMESTAMP - ($2 || ' milliseconds')::INTERVAL`;

/** Values: age in ms. */
export const DELETE_OLD_SIGNED = `DELETE FROM validator_duties
WHERE status = 'signed' AND started_at < CURRENT_TIMESTAMP - ($1 || ' milliseconds')::INTERVAL`;

/** Values: rollup, age in ms. */
export const DELETE_OTHER_ROLLUPS = `DELETE FROM validator_duties
WHERE rollup_address <> $1 AND started_at < CURRENT_TIMESTAMP - ($2 || ' milliseconds')::INTERVAL`;
