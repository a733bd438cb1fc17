import { boolean, listOf, path, secret, text } from "../kinds.ts";
import { integer, MOST_COUNT, MOST_KIBIBYTES, MOST_MILLISECONDS, MOST_MINUTES, MOST_SECONDS } from "../number-kinds.ts";
import { rowsOf } from "../option.ts";
import { httpUrl, readableStore, writableStore } from "../url-kinds.ts";

const { optional, withDefault } = rowsOf("Archiver", "archiver");

export const archiverSettings = {
  blobFileStoreUrls: withDefault(
    {
      flags: ["--archiver.blobFileStoreUrls", "--sequencer.blobFileStoreUrls", "--proverNode.blobFileStoreUrls"],
      env: ["BLOB_FILE_STORE_URLS"],
      kind: listOf(readableStore),
      meaning: "blob stores to read from",
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
    meaning: "blob store to which fetched blobs are copied",
  }),
  blobHealthcheckUploadIntervalMinutes: withDefault(
    {
      flags: [
        "--archiver.blobHealthcheckUploadIntervalMinutes",
        "--sequencer.blobHealthcheckUploadIntervalMinutes",
        "--proverNode.blobHealthcheckUploadIntervalMinutes",
      ],
      env: ["BLOB_HEALTHCHECK_UPLOAD_INTERVAL_MINUTES"],
      kind: integer(1, MOST_MINUTES),
      meaning: "minutes between two writes of the upload store's health file",
    },
    60,
  ),
  awsAccessKeyId: optional({
    env: ["AWS_ACCESS_KEY_ID"],
    kind: text,
    meaning: "access key for s3:// stores",
  }),
  awsSecretAccessKey: optional({
    env: ["AWS_SECRET_ACCESS_KEY"],
    kind: secret(text),
    meaning: "secret of the access key",
  }),
  awsSessionToken: optional({
    env: ["AWS_SESSION_TOKEN"],
    kind: secret(text),
    meaning: "session token of a temporary access key",
  }),
  awsRegion: withDefault(
    {
      env: ["AWS_REGION", "AWS_DEFAULT_REGION"],
      kind: text,
      meaning: "region of s3:// stores without an endpoint",
    },
    "us-east-1",
  ),
  googleApplicationCredentials: optional({
    env: ["GOOGLE_APPLICATION_CREDENTIALS"],
    kind: path,
    meaning: "key file of a service account for gs:// stores",
  }),
  googleStorageEndpoint: optional({
    env: ["STORAGE_EMULATOR_HOST"],
    kind: httpUrl,
    meaning: "endpoint of gs:// stores instead of Google's, for emulators",
  }),
  archiveApiUrl: optional({
    flags: ["--archiver.archiveApiUrl", "--sequencer.archiveApiUrl", "--proverNode.archiveApiUrl"],
    env: ["BLOB_ARCHIVE_API_URL"],
    kind: httpUrl,
    meaning: "HTTP API of a blob archive, the last source to be asked",
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
      meaning: "start even when no blob source answers",
    },
    false,
  ),
  archiverPollingIntervalMS: withDefault(
    {
      flags: ["--archiver.archiverPollingIntervalMS"],
      env: ["ARCHIVER_POLLING_INTERVAL_MS"],
      kind: integer(1, MOST_MILLISECONDS),
      meaning: "pause between two looks at L1, in ms",
    },
    500,
  ),
  archiverBatchSize: withDefault(
    {
      flags: ["--archiver.archiverBatchSize"],
      env: ["ARCHIVER_BATCH_SIZE"],
      kind: integer(1, MOST_COUNT),
      meaning: "L2 slots per L1 log query",
    },
    100,
  ),
  ethereumAllowNoDebugHosts: withDefault(
    {
      flags: ["--archiver.ethereumAllowNoDebugHosts"],
      env: ["ETHEREUM_ALLOW_NO_DEBUG_HOSTS"],
      kind: boolean,
      meaning: "start even when no L1 endpoint offers debug or trace methods",
    },
    true,
  ),
  maxAllowedEthClientDriftSeconds: withDefault(
    {
      flags: ["--archiver.maxAllowedEthClientDriftSeconds"],
      env: ["MAX_ALLOWED_ETH_CLIENT_DRIFT_SECONDS"],
      kind: integer(0, MOST_SECONDS),
      meaning: "largest distance in seconds of the latest L1 block from the local clock; 31337 chains are exempt",
    },
    300,
  ),
  blobSinkMapSizeKb: optional({
    flags: ["--archiver.blobSinkMapSizeKb", "--proverNode.blobSinkMapSizeKb"],
    env: ["BLOB_SINK_MAP_SIZE_KB"],
    kind: integer(1024, MOST_KIBIBYTES),
    meaning: "size setting of former releases",
    unused: true,
  }),
  maxLogs: withDefault(
    {
      flags: ["--archiver.maxLogs"],
      env: ["ARCHIVER_MAX_LOGS"],
      kind: integer(1, MOST_COUNT),
      meaning: "most logs per query of public logs",
      unused: true,
    },
    1000,
  ),
  archiverStoreMapSizeKb: optional({
    flags: ["--archiver.archiverStoreMapSizeKb"],
    env: ["ARCHIVER_STORE_MAP_SIZE_KB"],
    kind: integer(1024, MOST_KIBIBYTES),
    meaning: "largest size of the archiver's store in KiB; here it shares the chain store",
    unused: true,
  }),
  skipValidateCheckpointAttestations: withDefault(
    {
      flags: ["--archiver.skipValidateCheckpointAttestations"],
      kind: boolean,
      meaning: "for tests: take checkpoints whatever their attestations",
      unused: true,
    },
    false,
  ),
  archiverViemPollingIntervalMS: withDefault(
    {
      env: ["ARCHIVER_VIEM_POLLING_INTERVAL_MS"],
      kind: integer(1, MOST_MILLISECONDS),
      meaning: "pause between two looks for L1 events of the archiver, in ms",
      unused: true,
    },
    1000,
  ),
};
