/** Headers of calls to an upstream: the API key that it gave this process, if any. */
export function upstreamHeaders(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined ? {} : { "x-api-key": apiKey };
}
