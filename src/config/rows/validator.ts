import { boolean, listOf, path, secret, text } from "../kinds.ts";
import {
  integer,
  integerAnyBase,
  MOST_AT_ONCE,
  MOST_COUNT,
  MOST_GAS,
  MOST_HOURS,
  MOST_MILLISECONDS,
} from "../number-kinds.ts";
import { rowsOf } from "../option.ts";
import { l1Address, privateKey } from "../protocol-kinds.ts";
import { httpUrl, url } from "../url-kinds.ts";

const validatorRows = rowsOf("Validator", "validator");

export const validator = {
  validatorPrivateKeys: validatorRows.optional({
    flags: ["--sequencer.validatorPrivateKeys"],
    env: ["VALIDATOR_PRIVATE_KEYS", "VALIDATOR_PRIVATE_KEY"],
    kind: secret(listOf(privateKey)),
    meaning: "attester keys",
    usedBy: "sequencer",
  }),
  validatorAddresses: validatorRows.withDefault(
    {
      flags: ["--sequencer.validatorAddresses"],
      env: ["VALIDATOR_ADDRESSES"],
      kind: listOf(l1Address),
      meaning: "attester addresses held by the remote signer",
      usedBy: "sequencer",
    },
    [],
  ),
  disableValidator: validatorRows.withDefault(
    {
      flags: ["--sequencer.disableValidator"],
      env: ["VALIDATOR_DISABLED"],
      kind: boolean,
      meaning: "run without a validator",
    },
    false,
  ),
  disabledValidators: validatorRows.withDefault(
    {
      flags: ["--sequencer.disabledValidators"],
      kind: listOf(l1Address),
      meaning: "attesters that must not sign for now",
      usedBy: "sequencer",
    },
    [],
  ),
  attestationPollingIntervalMs: validatorRows.withDefault(
    {
      flags: ["--sequencer.attestationPollingIntervalMs"],
      env: ["VALIDATOR_ATTESTATIONS_POLLING_INTERVAL_MS"],
      kind: integer(1, MOST_MILLISECONDS),
      meaning: "pause between two looks at the attestation pool while collecting, in ms",
    },
    200,
  ),
  validatorReexecute: validatorRows.withDefault(
    {
      flags: ["--sequencer.validatorReexecute"],
      env: ["VALIDATOR_REEXECUTE"],
      kind: boolean,
      meaning: "re-execute proposals as a committee member",
    },
    true,
  ),
  alwaysReexecuteBlockProposals: validatorRows.withDefault(
    {
      flags: ["--sequencer.alwaysReexecuteBlockProposals"],
      kind: boolean,
      meaning: "re-execute every valid proposal, also without validator",
    },
    true,
  ),
  skipCheckpointProposalValidation: validatorRows.withDefault(
    {
      flags: ["--sequencer.skipCheckpointProposalValidation"],
      kind: boolean,
      meaning: "for tests: attest without checking",
    },
    false,
  ),
  skipPushProposedBlocksToArchiver: validatorRows.withDefault(
    {
      flags: ["--sequencer.skipPushProposedBlocksToArchiver"],
      kind: boolean,
      meaning: "do not add proposed blocks to the local archiver",
    },
    false,
  ),
  attestToEquivocatedProposals: validatorRows.withDefault(
    {
      flags: ["--sequencer.attestToEquivocatedProposals"],
      kind: boolean,
      meaning: "for tests: no guard against equivocation",
    },
    false,
  ),
  validateMaxL2BlockGas: validatorRows.optional({
    flags: ["--validateMaxL2BlockGas", "--sequencer.validateMaxL2BlockGas", "--p2p.validateMaxL2BlockGas"],
    env: ["VALIDATOR_MAX_L2_BLOCK_GAS"],
    kind: integerAnyBase(0, MOST_GAS),
    meaning: "validator and gossip: most L2 gas per block",
    usedBy: "mempool",
  }),
  validateMaxDABlockGas: validatorRows.optional({
    flags: ["--validateMaxDABlockGas", "--sequencer.validateMaxDABlockGas", "--p2p.validateMaxDABlockGas"],
    env: ["VALIDATOR_MAX_DA_BLOCK_GAS"],
    kind: integerAnyBase(0, MOST_GAS),
    meaning: "validator and gossip: most DA gas per block",
    usedBy: "mempool",
  }),
  validateMaxTxsPerBlock: validatorRows.optional({
    flags: ["--validateMaxTxsPerBlock", "--sequencer.validateMaxTxsPerBlock", "--p2p.validateMaxTxsPerBlock"],
    env: ["VALIDATOR_MAX_TX_PER_BLOCK"],
    kind: integerAnyBase(1, MOST_COUNT),
    meaning: "validator and gossip: most txs per block",
  }),
  validateMaxTxsPerCheckpoint: validatorRows.optional({
    flags: [
      "--validateMaxTxsPerCheckpoint",
      "--sequencer.validateMaxTxsPerCheckpoint",
      "--p2p.validateMaxTxsPerCheckpoint",
    ],
    env: ["VALIDATOR_MAX_TX_PER_CHECKPOINT"],
    kind: integerAnyBase(1, MOST_COUNT),
    meaning: "validator and gossip: most txs per checkpoint",
  }),
  keyStoreDirectory: validatorRows.optional({
    flags: ["--sequencer.keyStoreDirectory", "--proverNode.keyStoreDirectory"],
    env: ["KEY_STORE_DIRECTORY"],
    kind: path,
    meaning: "keystore file, or folder of keystore files",
    usedBy: "admin",
  }),
  web3SignerUrl: validatorRows.optional({
    flags: ["--proverNode.web3SignerUrl"],
    env: ["WEB3_SIGNER_URL"],
    kind: httpUrl,
    meaning: "remote signer for validators, publishers and provers that are given by address",
    usedBy: "sequencer",
  }),
};

const haSigningRows = rowsOf("High-availability signing", "validator");

export const haSigning = {
  haSigningEnabled: haSigningRows.withDefault(
    {
      flags: ["--sequencer.haSigningEnabled"],
      env: ["VALIDATOR_HA_SIGNING_ENABLED"],
      kind: boolean,
      meaning: "sign through the database of the high-availability group",
    },
    false,
  ),
  nodeId: haSigningRows.optional({
    flags: ["--sequencer.nodeId"],
    env: ["VALIDATOR_HA_NODE_ID"],
    kind: text,
    meaning: "id of this node in the high-availability group, unique there",
  }),
  pollingIntervalMs: haSigningRows.withDefault(
    {
      flags: ["--sequencer.pollingIntervalMs"],
      env: ["VALIDATOR_HA_POLLING_INTERVAL_MS"],
      kind: integer(1, MOST_MILLISECONDS),
      meaning: "pause between two looks while another node signs, in ms",
    },
    100,
  ),
  signingTimeoutMs: haSigningRows.withDefault(
    {
      flags: ["--sequencer.signingTimeoutMs"],
      env: ["VALIDATOR_HA_SIGNING_TIMEOUT_MS"],
      kind: integer(0, MOST_MILLISECONDS),
      meaning: "longest wait for another node's signature, in ms",
    },
    3000,
  ),
  maxStuckDutiesAgeMs: haSigningRows.optional({
    flags: ["--sequencer.maxStuckDutiesAgeMs"],
    env: ["VALIDATOR_HA_MAX_STUCK_DUTIES_AGE_MS"],
    kind: integerAnyBase(0, MOST_MILLISECONDS),
    meaning: "age after which own unfinished duties are removed; unset means two slots, in ms",
  }),
  cleanupOldDutiesAfterHours: haSigningRows.optional({
    flags: ["--sequencer.cleanupOldDutiesAfterHours"],
    env: ["VALIDATOR_HA_OLD_DUTIES_MAX_AGE_H"],
    kind: integerAnyBase(1, MOST_HOURS),
    meaning: "age in hours after which signed duties are removed; unset keeps them",
  }),
  databaseUrl: haSigningRows.optional({
    flags: ["--sequencer.databaseUrl"],
    env: ["VALIDATOR_HA_DATABASE_URL"],
    kind: secret(url("postgresql", "postgres")),
    meaning: "PostgreSQL URL of the high-availability group",
  }),
  poolMaxCount: haSigningRows.withDefault(
    {
      flags: ["--sequencer.poolMaxCount"],
      env: ["VALIDATOR_HA_POOL_MAX"],
      kind: integer(1, MOST_AT_ONCE),
      meaning: "most database connections",
    },
    10,
  ),
  poolMinCount: haSigningRows.withDefault(
    {
      flags: ["--sequencer.poolMinCount"],
      env: ["VALIDATOR_HA_POOL_MIN"],
      kind: integer(0, MOST_AT_ONCE),
      meaning: "least database connections",
    },
    0,
  ),
  poolIdleTimeoutMs: haSigningRows.withDefault(
    {
      flags: ["--sequencer.poolIdleTimeoutMs"],
      env: ["VALIDATOR_HA_POOL_IDLE_TIMEOUT_MS"],
      kind: integer(0, MOST_MILLISECONDS),
      meaning: "idle time after which a database connection is closed, in ms",
    },
    10000,
  ),
  poolConnectionTimeoutMs: haSigningRows.withDefault(
    {
      flags: ["--sequencer.poolConnectionTimeoutMs"],
      env: ["VALIDATOR_HA_POOL_CONNECTION_TIMEOUT_MS"],
      kind: integer(0, MOST_MILLISECONDS),
      meaning: "limit on connecting to the database, 0 for none, in ms",
    },
    0,
  ),
};
