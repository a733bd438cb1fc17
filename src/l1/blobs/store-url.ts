import { redactUrl } from "../redact.ts";
import { BlobSourceConfigurationError } from "./errors.ts";
import { FileObjects } from "./file-objects.ts";
import { HttpObjects } from "./http-objects.ts";
import type { ObjectReader, ObjectStore } from "./object-reader.ts";
import { type AwsCredentials, signedS3Get } from "./s3-signature.ts";

export interface StoreAccess {
  retryDelaysMs?: readonly number[];
  timeoutMs?: number;
  /** Signs s3:// reads; without it only public objects can be read. */
  awsCredentials?: AwsCredentials;
  /** For s3:// without an endpoint. */
  awsRegion?: string;
}

const SCHEMES = "file:///absolute/path, http(s)://host/path, s3://bucket/path and gs://bucket/path";

function parse(text: string): URL {
  const url = URL.parse(text);
  if (!url) throw new BlobSourceConfigurationError(redactUrl(text), `a blob store must be one of ${SCHEMES}`);
  return url;
}

function fileRoot(url: URL): string {
  if (url.host) {
    throw new BlobSourceConfigurationError(redactUrl(url), "a file store takes no host: file:///absolute/path");
  }
  return decodeURIComponent(url.pathname).replace(/\/+$/, "");
}

/** A store to read blobs from, by URL (sheet 04 section 4.6). Throws a BlobSourceConfigurationError for a URL that names none. */
export function openObjectReader(text: string, access: StoreAccess = {}): ObjectReader {
  const url = parse(text);
  const prefix = url.pathname.replace(/^\/+|\/+$/g, "");
  switch (url.protocol) {
    case "file:":
      return new FileObjects(fileRoot(url));
    case "http:":
    case "https:":
      return new HttpObjects(url, access);
    case "gs:":
      return new HttpObjects(new URL(`https://storage.googleapis.com/${url.host}/${prefix}`), {
        ...access,
        name: redactUrl(url),
      });
    case "s3:":
      return openS3(url, prefix, access);
    default:
      throw new BlobSourceConfigurationError(redactUrl(url), `a blob store must be one of ${SCHEMES}`);
  }
}

function openS3(url: URL, prefix: string, access: StoreAccess): ObjectReader {
  const name = redactUrl(url);
  const http = (base: string) => {
    const parsed = URL.parse(base);
    if (parsed && /^https?:$/.test(parsed.protocol)) return parsed;
    throw new BlobSourceConfigurationError(name, "endpoint and publicBaseUrl must be http(s) URLs");
  };
  const publicBase = url.searchParams.get("publicBaseUrl");
  if (publicBase) return new HttpObjects(http(`${publicBase.replace(/\/+$/, "")}/${prefix}`), { ...access, name });
  const endpoint = url.searchParams.get("endpoint");
  const region = endpoint ? "auto" : (access.awsRegion ?? "us-east-1");
  const base = endpoint
    ? http(`${endpoint.replace(/\/+$/, "")}/${url.host}/${prefix}`)
    : http(`https://${url.host}.s3.${region}.amazonaws.com/${prefix}`);
  const credentials = access.awsCredentials;
  const headers = credentials && ((object: URL) => signedS3Get(object, { credentials, region, now: new Date() }));
  return new HttpObjects(base, { ...access, name, headers });
}

/** A store to write blobs to. Only file:// stores can be written to; others throw a BlobSourceConfigurationError. */
export function openObjectStore(text: string): ObjectStore {
  const url = parse(text);
  if (url.protocol === "file:") return new FileObjects(fileRoot(url));
  throw new BlobSourceConfigurationError(
    redactUrl(url),
    `blobs can be uploaded to file:// stores only, writing to ${url.protocol}// is not supported`,
  );
}
