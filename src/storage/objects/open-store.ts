import { redactUrl } from "../../http/redact.ts";
import { ObjectStoreUrlError } from "./errors.ts";
import { FileObjects } from "./file-objects.ts";
import { unwritableFolder } from "./folders.ts";
import { GcsObjects } from "./gcs-objects.ts";
import { AccessTokens, readServiceAccount } from "./gcs-token.ts";
import { HttpObjects } from "./http-objects.ts";
import type { ObjectReader, ObjectStore } from "./object-store.ts";
import { type Authorize, ObjectTransport, type TransportOptions } from "./object-transport.ts";
import { S3Objects } from "./s3-objects.ts";
import { type AwsCredentials, signS3 } from "./s3-signature.ts";

export interface ObjectStoreAccess extends TransportOptions {
  /** Signs calls to s3:// stores; without it only public objects can be read, and none written. */
  awsCredentials?: AwsCredentials;
  /** Region of s3:// URLs without an endpoint. */
  awsRegion?: string;
  /** Key file of a service account for gs:// stores; without it only public objects can be read, and none written. */
  googleCredentialsFile?: string;
  /** Replaces https://storage.googleapis.com; needs no credentials. */
  googleEndpoint?: string;
}

const READABLE = "file:///absolute/path, http(s)://host/path, gs://bucket/path and s3://bucket/path?endpoint=...";
const WRITABLE = "file:///absolute/path, gs://bucket/path and s3://bucket/path?endpoint=...&publicBaseUrl=...";

function parse(text: string, supported: string): URL {
  const url = URL.parse(text);
  if (url && /^(file|https?|s3|gs):$/.test(url.protocol)) return url;
  const shown = redactUrl(text);
  throw new ObjectStoreUrlError(shown, `Unknown file store config: '${shown}'. Supported values are ${supported}`);
}

function fileRoot(url: URL): string {
  if (url.host) {
    throw new ObjectStoreUrlError(redactUrl(url), "a file store takes no host: file:///absolute/path");
  }
  return decodeURIComponent(url.pathname).replace(/\/+$/, "");
}

function prefixOf(url: URL): string {
  return url.pathname.replace(/^\/+|\/+$/g, "");
}

function httpBase(url: URL, base: string): URL {
  const parsed = URL.parse(base);
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed;
  throw new ObjectStoreUrlError(redactUrl(url), "endpoint and publicBaseUrl must be http(s) URLs");
}

function openS3(url: URL, access: ObjectStoreAccess): S3Objects {
  if (!url.host) throw new ObjectStoreUrlError(redactUrl(url), "a store in S3 must name a bucket: s3://bucket/path");
  const prefix = prefixOf(url);
  const endpoint = url.searchParams.get("endpoint");
  const region = endpoint ? "auto" : (access.awsRegion ?? "us-east-1");
  const base = endpoint
    ? httpBase(url, `${endpoint.replace(/\/+$/, "")}/${url.host}/${prefix}`)
    : httpBase(url, `https://${url.host}.s3.${region}.amazonaws.com/${prefix}`);
  const { awsCredentials: credentials } = access;
  const authorize: Authorize | undefined =
    credentials && ((call) => signS3(call, { credentials, region, now: new Date() }));
  const transport = new ObjectTransport(redactUrl(url), access, authorize);
  const publicBase = url.searchParams.get("publicBaseUrl");
  const publicReader = publicBase
    ? new HttpObjects(
        httpBase(url, `${publicBase.replace(/\/+$/, "")}/${prefix}`),
        new ObjectTransport(redactUrl(url), access),
      )
    : undefined;
  return new S3Objects({ base, transport, publicReader });
}

function openGcs(url: URL, access: ObjectStoreAccess): GcsObjects {
  const name = redactUrl(url);
  if (!url.host) throw new ObjectStoreUrlError(name, "a store in Google Cloud must name a bucket: gs://bucket/path");
  const endpoint = (access.googleEndpoint ?? "https://storage.googleapis.com").replace(/\/+$/, "");
  const base = httpBase(url, `${endpoint}/${url.host}/${prefixOf(url)}`);
  let authorize: Authorize | undefined;
  if (access.googleCredentialsFile !== undefined) {
    const account = readServiceAccount(access.googleCredentialsFile);
    const tokens = new AccessTokens(account, new ObjectTransport(name, access));
    authorize = async ({ headers }) => ({ ...headers, authorization: `Bearer ${await tokens.token()}` });
  }
  return new GcsObjects({ base, transport: new ObjectTransport(name, access, authorize) });
}

/**
 * Opens a store for reading (docs/protocol/04-l1-contracts.md#411-fetching-blobs,
 * docs/protocol/09-configuration.md#915-file-stores). Throws an ObjectStoreUrlError for an invalid URL.
 */
export function openObjectReader(text: string, access: ObjectStoreAccess = {}): ObjectReader {
  const url = parse(text, READABLE);
  switch (url.protocol) {
    case "file:":
      return new FileObjects(fileRoot(url));
    case "s3:":
      return openS3(url, access);
    case "gs:":
      return openGcs(url, access);
    default:
      return new HttpObjects(url, new ObjectTransport(redactUrl(url), access));
  }
}

/**
 * Opens a store for writing. Throws an ObjectStoreUrlError for an invalid URL, an http(s) URL, missing credentials, or
 * an unwritable folder.
 */
export function openObjectStore(text: string, access: ObjectStoreAccess = {}): ObjectStore {
  const url = parse(text, WRITABLE);
  switch (url.protocol) {
    case "file:": {
      const root = fileRoot(url);
      const rule = unwritableFolder(root);
      if (rule !== undefined) throw new ObjectStoreUrlError(redactUrl(url), `objects cannot be stored there: ${rule}`);
      return new FileObjects(root);
    }
    case "s3:":
      if (access.awsCredentials) return openS3(url, access);
      throw new ObjectStoreUrlError(
        redactUrl(url),
        "writing to s3:// stores needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
      );
    case "gs:":
      if (access.googleCredentialsFile !== undefined || access.googleEndpoint !== undefined)
        return openGcs(url, access);
      throw new ObjectStoreUrlError(redactUrl(url), "writing to gs:// stores needs GOOGLE_APPLICATION_CREDENTIALS");
    default:
      throw new ObjectStoreUrlError(
        redactUrl(url),
        `http(s):// stores can only be read. Supported values are ${WRITABLE}`,
      );
  }
}
