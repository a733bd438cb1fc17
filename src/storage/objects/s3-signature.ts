import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

interface S3Call {
  method: string;
  url: URL;
  /** Sent and signed; lower-case names. */
  headers?: Record<string, string>;
  body?: Uint8Array | string;
}

/**
 * Signs one call to S3 with AWS Signature Version 4 (Authorization header, payload in a single chunk). Returns the
 * given headers and the signature headers.
 */
export async function signS3(
  { method, url, headers: given, body = "" }: S3Call,
  { credentials, region, now }: { credentials: AwsCredentials; region: string; now: Date },
): Promise<Record<string, string>> {
  const { headers } = await new AwsV4Signer({
    ...{ method, url: url.href, service: "s3", region, ...credentials, allHeaders: true },
    headers: { ...given, "x-amz-content-sha256": createHash("sha256").update(body).digest("hex") },
    datetime: now.toISOString().replace(/[-:]|\.\d{3}/g, ""),
  }).sign();
  return Object.fromEntries(headers);
}
