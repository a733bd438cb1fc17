import { redactUrl } from "../../http/redact.ts";

/** Headers of calls to an upstream: the API key that it gave this process, if any. */
export function upstreamHeaders(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined ? {} : { "x-api-key": apiKey };
}

/** A node does not take calls with this process's API key, or without one. */
export class UpstreamKeyError extends Error {
  constructor(url: string, isGiven: boolean) {
    const fault = isGiven ? "does not know the API key of this process" : "requires an API key";
    super(`${redactUrl(url)} ${fault}: give one of its keys by --rpc-upstream-api-key`);
    this.name = "UpstreamKeyError";
  }
}
