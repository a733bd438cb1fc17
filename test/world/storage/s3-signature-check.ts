import { createHash, createHmac } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Intercept, SeenCall } from "./bucket-server.ts";

const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** Why S3 would refuse a call; undefined if its signature is good (AWS Signature Version 4, one chunk). */
export function s3Fault({ method, url, headers, body }: SeenCall, secret: string): string | undefined {
  const [, id, date, region, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request,\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? "",
    ) ?? [];
  if (id === undefined || region === undefined) return "MissingSecurityHeader";
  const time = String(headers["x-amz-date"]);
  if (!time.startsWith(date)) return "RequestTimeTooSkewed";
  if (headers["x-amz-content-sha256"] !== sha256(body)) return "XAmzContentSHA256Mismatch";
  const signed = names.split(";");
  if (!["host", "x-amz-content-sha256", "x-amz-date"].every((name) => signed.includes(name))) return "AccessDenied";
  const path = url.pathname.split("/").map((part) => encode(decodeURIComponent(part)));
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim()}`);
  const canonical = [method, path.join("/"), query.join("&"), ...lines, "", signed.join(";"), sha256(body)].join("\n");
  const scope = `${date}/${region}/s3/aws4_request`;
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), "s3"), "aws4_request");
  const expected = hmac(key, ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n")).toString("hex");
  return expected === signature ? undefined : "SignatureDoesNotMatch";
}

/** Makes a bucket refuse calls that are not signed with this secret. */
export function requireSignature(secret: string): Intercept {
  return (call: SeenCall, response: ServerResponse) => {
    const fault = s3Fault(call, secret);
    if (fault === undefined) return false;
    response.writeHead(403).end(`<Error><Code>${fault}</Code></Error>`);
    return true;
  };
}
