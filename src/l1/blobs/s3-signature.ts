import { createHash, createHmac } from "node:crypto";

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** RFC 3986 unreserved characters stay, everything else is escaped; the path keeps its slashes. */
function escapePath(path: string): string {
  const escaped = (segment: string) =>
    encodeURIComponent(decodeURIComponent(segment)).replace(
      /[!'()*]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  return path.split("/").map(escaped).join("/");
}

/**
 * Headers of a GET of one S3 object, AWS Signature Version 4 (the "Authorization header" form of its reference, empty payload).
 * URLs with a query are not signed by this function.
 * @param headers further headers to send and sign, lower-case names.
 */
export function signedS3Get(
  url: URL,
  options: { credentials: AwsCredentials; region: string; now: Date; headers?: Record<string, string> },
): Record<string, string> {
  const { credentials, region, now } = options;
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const date = time.slice(0, 8);
  const payloadHash = sha256("");
  const headers: Record<string, string> = {
    ...options.headers,
    "x-amz-content-sha256": payloadHash,
    "x-amz-date": time,
    ...(credentials.sessionToken ? { "x-amz-security-token": credentials.sessionToken } : {}),
  };
  const signed = Object.entries({ ...headers, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const canonical = [
    "GET",
    escapePath(url.pathname),
    "",
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    "",
    names,
    payloadHash,
  ].join("\n");
  const scope = `${date}/${region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = ["s3", "aws4_request"].reduce(hmac, hmac(hmac(`AWS4${credentials.secretAccessKey}`, date), region));
  const signature = hmac(key, toSign).toString("hex");
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope},SignedHeaders=${names},Signature=${signature}`,
  };
}
