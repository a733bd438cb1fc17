import { boolean, listOf, path, secret, text } from "../kinds/kinds.ts";
import {
  integer,
  MAX_COUNT,
  MAX_KIBIBYTES,
  MAX_MILLISECONDS,
  MAX_MINUTES,
  MAX_SECONDS,
} from "../kinds/number-kinds.ts";
import { live, rowsOf } from "../kinds/option.ts";
import { httpUrl, readableStore, writableStore } from "../kinds/url-kinds.ts";

const { optional, withDefault } = rowsOf("Archiver", "archiver");

export const archiverSettings = {
  blobFileStoreUrls: withDefault(
    {
      flags: ["--archiver.blobFileStoreUrls", "--sequencer.blobFileStoreUrls", "--proverNode.blobFileStoreUrls"],
      env: ["BLOB_FILE_STORE_URLS"],
      kind: listOf(readableStore),
      to: ["blobs.fileStoreUrls"],
      meaning: "blob stores to read blobs from",
    },
    [],
  ),
  blobFileStoreUploadUrl: optional({
    flags: [
      "--archiver.blobFileStoreUploadUrl",
      "--sequencer.blobFileStoreUploadUrl",
      "--proverNode.blobFileStoreUploadUrl",
    ],
    env: ["BLOB_FILE_STORE_UPLOAD_URL"],
    kind: writableStore,
    to: ["blobs.uploadUrl"],
    meaning: "blob store to upload fetched blobs to",
  }),
  blobHealthcheckUploadIntervalMinutes: withDefault(
    {
      flags: [
        "--archiver.blobHealthcheckUploadIntervalMinutes",
        "--sequencer.blobHealthcheckUploadIntervalMinutes",
        "--proverNode.blobHealthcheckUploadIntervalMinutes",
      ],
      env: ["BLOB_HEALTHCHECK_UPLOAD_INTERVAL_MINUTES"],
      kind: integer(1, MAX_MINUTES),
      to: ["blobs.healthCheckMinutes"],
      meaning: "interval at which the health-check file is written to the upload store, in minutes",
    },
    60,
  ),
  awsAccessKeyId: optional({
    env: ["AWS_ACCESS_KEY_ID"],
    kind: text,
    to: ["objectStores.awsAccessKeyId"],
    meaning: "access key for s3:// stores",
  }),
  awsSecretAccessKey: optional({
    env: ["AWS_SECRET_ACCESS_KEY"],
    kind: secret(text),
    to: ["objectStores.awsSecretAccessKey"],
    meaning: "secret access key for s3:// stores",
  }),
  awsSessionToken: optional({
    env: ["AWS_SESSION_TOKEN"],
    kind: secret(text),
    to: ["objectStores.awsSessionToken"],
    meaning: "session token for temporary S3 credentials",
  }),
  awsRegion: withDefault(
    {
      env: ["AWS_REGION", "AWS_DEFAULT_REGION"],
      kind: text,
      to: ["objectStores.awsRegion"],
      meaning: "region of s3:// stores whose URL has no endpoint",
    },
    "us-east-1",
  ),
  googleApplicationCredentials: optional({
    env: ["GOOGLE_APPLICATION_CREDENTIALS"],
    kind: path,
    to: ["objectStores.googleCredentialsFile"],
    meaning: "service account key file for gs:// stores",
  }),
  googleStorageEndpoint: optional({
    env: ["STORAGE_EMULATOR_HOST"],
    kind: httpUrl,
    to: ["objectStores.googleEndpoint"],
    meaning: "endpoint of a storage emulator, used for gs:// stores instead of Google's",
  }),
  archiveApiUrl: optional({
    flags: ["--archiver.archiveApiUrl", "--sequencer.archiveApiUrl", "--proverNode.archiveApiUrl"],
    env: ["BLOB_ARCHIVE_API_URL"],
    kind: httpUrl,
    to: ["blobs.archiveUrl"],
    meaning: "HTTP API of a blob archive; it is queried after all other sources",
  }),
  blobPreferFilestores: withDefault(
    {
      env: ["BLOB_PREFER_FILESTORES"],
      kind: boolean,
      to: ["blobs.preferFileStores"],
      meaning: "ask file stores for blobs before consensus clients",
    },
    true,
  ),
  blobFileStoreTimeoutMs: optional({
    env: ["BLOB_FILE_STORE_TIMEOUT_MS"],
    kind: integer(1, MAX_MILLISECONDS),
    to: ["blobs.fileStoreTimeoutMs"],
    meaning: "time after which a file store of blobs that sends nothing is given up, in ms; unset means 20000",
  }),
  blobAllowEmptySources: withDefault(
    {
      flags: [
        "--archiver.blobAllowEmptySources",
        "--sequencer.blobAllowEmptySources",
        "--proverNode.blobAllowEmptySources",
      ],
      env: ["BLOB_ALLOW_EMPTY_SOURCES"],
      kind: boolean,
      to: ["blobs.allowEmpty"],
      meaning: "start even if no blob source responds",
    },
    false,
  ),
  archiverPollingIntervalMS: withDefault(
    {
      flags: ["--archiver.archiverPollingIntervalMS"],
      env: ["ARCHIVER_POLLING_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      to: [live("sync.pollingIntervalMs")],
      admin: { form: { whole: { least: 1, most: MAX_MILLISECONDS } } },
      meaning: "polling interval for L1, in ms",
    },
    500,
  ),
  archiverBatchSize: withDefault(
    {
      flags: ["--archiver.archiverBatchSize"],
      env: ["ARCHIVER_BATCH_SIZE"],
      kind: integer(1, MAX_COUNT),
      to: [live("sync.batchSize")],
      admin: { form: { whole: { least: 1 } } },
      meaning: "L2 slots per L1 log query",
    },
    100,
  ),
  ethereumAllowNoDebugHosts: withDefault(
    {
      flags: ["--archiver.ethereumAllowNoDebugHosts"],
      env: ["ETHEREUM_ALLOW_NO_DEBUG_HOSTS"],
      kind: boolean,
      to: ["l1.allowNoTraces"],
      meaning: "start even if no L1 endpoint supports debug or trace methods",
    },
    true,
  ),
  maxAllowedEthClientDriftSeconds: withDefault(
    {
      flags: ["--archiver.maxAllowedEthClientDriftSeconds"],
      env: ["MAX_ALLOWED_ETH_CLIENT_DRIFT_SECONDS"],
      kind: integer(0, MAX_SECONDS),
      to: ["l1.maxDriftSeconds"],
      meaning: "maximum age of the latest L1 block by the local clock, in seconds; chain 31337 is exempt",
    },
    300,
  ),
  blobSinkMapSizeKb: optional({
    flags: ["--archiver.blobSinkMapSizeKb", "--proverNode.blobSinkMapSizeKb"],
    env: ["BLOB_SINK_MAP_SIZE_KB"],
    kind: integer(1024, MAX_KIBIBYTES),
    meaning: "map size in KiB of a store that earlier releases had",
    unused: true,
  }),
  maxLogs: withDefault(
    {
      flags: ["--archiver.maxLogs"],
      env: ["ARCHIVER_MAX_LOGS"],
      kind: integer(1, MAX_COUNT),
      to: ["rpc.limits.maxLogs"],
      meaning: "maximum logs returned by one query of public or contract class logs by range",
    },
    1000,
  ),
  archiverStoreMapSizeKb: optional({
    flags: ["--archiver.archiverStoreMapSizeKb"],
    env: ["ARCHIVER_STORE_MAP_SIZE_KB"],
    kind: integer(1024, MAX_KIBIBYTES),
    meaning: "maximum size of the archiver's store in KiB; here the archiver shares the chain store",
    unused: true,
  }),
  skipValidateCheckpointAttestations: withDefault(
    {
      flags: ["--archiver.skipValidateCheckpointAttestations"],
      kind: boolean,
      admin: {},
      meaning: "for tests: accept checkpoints without checking their attestations",
      unused: true,
    },
    false,
  ),
  archiverViemPollingIntervalMS: withDefault(
    {
      env: ["ARCHIVER_VIEM_POLLING_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      meaning: "polling interval for the archiver's L1 events, in ms",
      unused: true,
    },
    1000,
  ),
};
