import { boolean, listOf, path, secret, textUpTo } from "../kinds/kinds.ts";
import {
  integer,
  integerAnyBase,
  MAX_CONCURRENCY,
  MAX_COUNT,
  MAX_GAS,
  MAX_HOURS,
  MAX_MILLISECONDS,
} from "../kinds/number-kinds.ts";
import { live, NEVER_UNCHECKED, not, rowsOf } from "../kinds/option.ts";
import { l1Address, privateKey } from "../kinds/protocol-kinds.ts";
import { httpUrl, url } from "../kinds/url-kinds.ts";

const validatorRows = rowsOf("Validator", "validator");

export const validator = {
  validatorPrivateKeys: validatorRows.optional({
    flags: ["--sequencer.validatorPrivateKeys"],
    env: ["VALIDATOR_PRIVATE_KEYS", "VALIDATOR_PRIVATE_KEY"],
    kind: secret(listOf(privateKey)),
    to: ["keys.attesters.privateKeys"],
    meaning: "private keys of the attesters",
    usedBy: "sequencer",
  }),
  validatorAddresses: validatorRows.withDefault(
    {
      flags: ["--sequencer.validatorAddresses"],
      env: ["VALIDATOR_ADDRESSES"],
      kind: listOf(l1Address),
      admin: {},
      to: ["keys.attesters.addresses"],
      meaning: "addresses of the attesters held by the remote signer",
      usedBy: "sequencer",
    },
    [],
  ),
  disableValidator: validatorRows.withDefault(
    {
      flags: ["--sequencer.disableValidator"],
      env: ["VALIDATOR_DISABLED"],
      kind: boolean,
      admin: {},
      to: ["validator.off"],
      meaning: "run without a validator",
    },
    false,
  ),
  disabledValidators: validatorRows.withDefault(
    {
      flags: ["--sequencer.disabledValidators"],
      kind: listOf(l1Address),
      to: [live("sequencer.disabledValidators"), live("validator.disabled")],
      admin: {},
      meaning: "addresses of attesters that do not sign",
      usedBy: "sequencer",
    },
    [],
  ),
  attestationPollingIntervalMs: validatorRows.withDefault(
    {
      flags: ["--sequencer.attestationPollingIntervalMs"],
      env: ["VALIDATOR_ATTESTATIONS_POLLING_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: [live("validator.pollingIntervalMs")],
      admin: {},
      meaning: "polling interval for attestations while collecting them, in ms",
    },
    200,
  ),
  validatorReexecute: validatorRows.withDefault(
    {
      flags: ["--sequencer.validatorReexecute"],
      env: ["VALIDATOR_REEXECUTE"],
      kind: boolean,
      to: [live("validator.reexecutes")],
      admin: { only: "node" },
      meaning: "re-execute proposals as a committee member",
    },
    true,
  ),
  alwaysReexecuteBlockProposals: validatorRows.withDefault(
    {
      flags: ["--sequencer.alwaysReexecuteBlockProposals"],
      kind: boolean,
      to: [live("p2p.reexecutes")],
      admin: {},
      meaning: "re-execute every valid proposal, even without a validator",
      usedBy: "p2p",
    },
    true,
  ),
  skipCheckpointProposalValidation: validatorRows.withDefault(
    {
      flags: ["--sequencer.skipCheckpointProposalValidation"],
      kind: boolean,
      admin: { refused: NEVER_UNCHECKED },
      meaning: "for tests: attest without validating checkpoint proposals",
      refused: "this node attests only to what it checked",
    },
    false,
  ),
  skipPushProposedBlocksToArchiver: validatorRows.withDefault(
    {
      flags: ["--sequencer.skipPushProposedBlocksToArchiver"],
      kind: boolean,
      to: [live("p2p.storesProposedBlocks", not)],
      admin: {},
      meaning: "do not add proposed blocks to the local archiver",
      usedBy: "p2p",
    },
    false,
  ),
  attestToEquivocatedProposals: validatorRows.withDefault(
    {
      flags: ["--sequencer.attestToEquivocatedProposals"],
      kind: boolean,
      admin: { refused: NEVER_UNCHECKED },
      meaning: "for tests: attest to equivocated proposals",
      refused: "this node attests once in a slot",
    },
    false,
  ),
  validateMaxL2BlockGas: validatorRows.optional({
    flags: ["--validateMaxL2BlockGas", "--sequencer.validateMaxL2BlockGas", "--p2p.validateMaxL2BlockGas"],
    env: ["VALIDATOR_MAX_L2_BLOCK_GAS"],
    kind: integerAnyBase(0, MAX_GAS),
    to: [live("checks.validatorGasLimits.l2Gas"), "validator.limits.maxL2BlockGas"],
    admin: {},
    meaning: "validator and gossip: maximum L2 gas per block",
    usedBy: "mempool",
  }),
  validateMaxDABlockGas: validatorRows.optional({
    flags: ["--validateMaxDABlockGas", "--sequencer.validateMaxDABlockGas", "--p2p.validateMaxDABlockGas"],
    env: ["VALIDATOR_MAX_DA_BLOCK_GAS"],
    kind: integerAnyBase(0, MAX_GAS),
    to: [live("checks.validatorGasLimits.daGas"), "validator.limits.maxDaBlockGas"],
    admin: {},
    meaning: "validator and gossip: maximum DA gas per block",
    usedBy: "mempool",
  }),
  validateMaxTxsPerBlock: validatorRows.optional({
    flags: ["--validateMaxTxsPerBlock", "--sequencer.validateMaxTxsPerBlock", "--p2p.validateMaxTxsPerBlock"],
    env: ["VALIDATOR_MAX_TX_PER_BLOCK"],
    kind: integerAnyBase(1, MAX_COUNT),
    admin: {},
    to: ["validator.limits.maxTxsPerBlock"],
    meaning: "validator and gossip: maximum txs per block",
    usedBy: "p2p",
  }),
  validateMaxTxsPerCheckpoint: validatorRows.optional({
    flags: [
      "--validateMaxTxsPerCheckpoint",
      "--sequencer.validateMaxTxsPerCheckpoint",
      "--p2p.validateMaxTxsPerCheckpoint",
    ],
    env: ["VALIDATOR_MAX_TX_PER_CHECKPOINT"],
    kind: integerAnyBase(1, MAX_COUNT),
    admin: {},
    to: ["validator.limits.maxTxsPerCheckpoint"],
    meaning: "validator and gossip: maximum txs per checkpoint",
    usedBy: "p2p",
  }),
  keyStoreDirectory: validatorRows.optional({
    flags: ["--sequencer.keyStoreDirectory", "--proverNode.keyStoreDirectory"],
    env: ["KEY_STORE_DIRECTORY"],
    kind: path,
    to: ["keys.directory"],
    meaning: "keystore file, or folder of keystore files",
    usedBy: "admin",
  }),
  web3SignerUrl: validatorRows.optional({
    flags: ["--proverNode.web3SignerUrl"],
    env: ["WEB3_SIGNER_URL"],
    kind: httpUrl,
    to: ["keys.web3SignerUrl"],
    meaning: "URL of the remote signer (Web3Signer) for validators, publishers and provers given by address",
    usedBy: "sequencer",
  }),
};

const haSigningRows = rowsOf("High-availability signing", "signing group");

export const haSigning = {
  haSigningEnabled: haSigningRows.withDefault(
    {
      flags: ["--sequencer.haSigningEnabled"],
      env: ["VALIDATOR_HA_SIGNING_ENABLED"],
      kind: boolean,
      admin: {},
      to: ["signing.enabled"],
      meaning: "coordinate signatures through the database of the high-availability group",
    },
    false,
  ),
  nodeId: haSigningRows.optional({
    flags: ["--sequencer.nodeId"],
    env: ["VALIDATOR_HA_NODE_ID"],
    kind: textUpTo(255),
    admin: { default: "" },
    to: ["signing.nodeId"],
    meaning: "unique id of this node within the high-availability group",
  }),
  pollingIntervalMs: haSigningRows.withDefault(
    {
      flags: ["--sequencer.pollingIntervalMs"],
      env: ["VALIDATOR_HA_POLLING_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      admin: {},
      to: ["signing.pollingIntervalMs"],
      meaning: "polling interval while another node signs, in ms",
    },
    100,
  ),
  signingTimeoutMs: haSigningRows.withDefault(
    {
      flags: ["--sequencer.signingTimeoutMs"],
      env: ["VALIDATOR_HA_SIGNING_TIMEOUT_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      admin: {},
      to: ["signing.signingTimeoutMs"],
      meaning: "timeout for another node's signature, in ms",
    },
    3000,
  ),
  maxStuckDutiesAgeMs: haSigningRows.optional({
    flags: ["--sequencer.maxStuckDutiesAgeMs"],
    env: ["VALIDATOR_HA_MAX_STUCK_DUTIES_AGE_MS"],
    kind: integerAnyBase(0, MAX_MILLISECONDS),
    admin: {},
    to: ["signing.stuckAgeMs"],
    meaning: "age after which this node's unfinished duties are deleted, in ms; unset means two slots",
  }),
  cleanupOldDutiesAfterHours: haSigningRows.optional({
    flags: ["--sequencer.cleanupOldDutiesAfterHours"],
    env: ["VALIDATOR_HA_OLD_DUTIES_MAX_AGE_H"],
    kind: integerAnyBase(1, MAX_HOURS),
    admin: {},
    to: ["signing.signedAgeHours"],
    meaning: "age after which signed duties are deleted, in hours; unset means never",
  }),
  databaseUrl: haSigningRows.optional({
    flags: ["--sequencer.databaseUrl"],
    env: ["VALIDATOR_HA_DATABASE_URL"],
    kind: secret(url("postgresql", "postgres")),
    admin: {},
    to: ["signing.databaseUrl"],
    meaning: "PostgreSQL URL of the high-availability group",
  }),
  poolMaxCount: haSigningRows.withDefault(
    {
      flags: ["--sequencer.poolMaxCount"],
      env: ["VALIDATOR_HA_POOL_MAX"],
      kind: integer(1, MAX_CONCURRENCY),
      admin: {},
      to: ["signing.pool.maxConnections"],
      meaning: "maximum database connections",
    },
    10,
  ),
  poolMinCount: haSigningRows.withDefault(
    {
      flags: ["--sequencer.poolMinCount"],
      env: ["VALIDATOR_HA_POOL_MIN"],
      kind: integer(0, MAX_CONCURRENCY),
      admin: {},
      to: ["signing.pool.minConnections"],
      meaning: "minimum database connections",
    },
    0,
  ),
  poolIdleTimeoutMs: haSigningRows.withDefault(
    {
      flags: ["--sequencer.poolIdleTimeoutMs"],
      env: ["VALIDATOR_HA_POOL_IDLE_TIMEOUT_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      admin: {},
      to: ["signing.pool.idleTimeoutMs"],
      meaning: "idle time after which a database connection is closed, in ms",
    },
    10000,
  ),
  poolConnectionTimeoutMs: haSigningRows.withDefault(
    {
      flags: ["--sequencer.poolConnectionTimeoutMs"],
      env: ["VALIDATOR_HA_POOL_CONNECTION_TIMEOUT_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      admin: {},
      to: ["signing.pool.connectionTimeoutMs"],
      meaning: "timeout of connecting to the database, in ms, 0 for that of a statement, 5 s",
    },
    0,
  ),
};
