export interface HttpRequest {
  method?: "GET" | "HEAD" | "POST" | "PUT";
  headers?: Record<string, string>;
  body?: string;
  /** For the whole exchange, body included. */
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal;
}

export interface HttpAnswer {
  status: number;
  body: Uint8Array;
}

/** An HTTP exchange did not come to an answer. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly kind: "unreachable" | "timeout" | "too-large" | "aborted";

  constructor(kind: HttpError["kind"], rule: string, options?: ErrorOptions) {
    super(rule, options);
    this.kind = kind;
  }
}

/** The system's word for a failed connection (ECONNREFUSED and the like), without the address. */
function reasonOf(error: unknown): string {
  for (let e = error; e instanceof Error; e = e.cause) {
    const code = (e as NodeJS.ErrnoException).code;
    if (typeof code === "string") return code;
  }
  return error instanceof Error ? error.name : "unknown";
}

/** Moves user and password of a URL, which fetch refuses, into a basic Authorization header. */
function withoutCredentials(url: string): { url: string; headers: Record<string, string> } {
  const parsed = new URL(url);
  if (!parsed.username && !parsed.password) return { url, headers: {} };
  const pair = `${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`;
  parsed.username = "";
  parsed.password = "";
  return { url: parsed.href, headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` } };
}

/** One exchange, read to the end. Any status is an answer. Throws an HttpError that never repeats the URL. */
export async function exchange(address: string, request: HttpRequest): Promise<HttpAnswer> {
  const deadline = AbortSignal.timeout(request.timeoutMs);
  const { url, headers } = withoutCredentials(address);
  try {
    const response = await fetch(url, {
      method: request.method ?? "GET",
      headers: { ...headers, ...request.headers },
      body: request.body,
      signal: request.signal ? AbortSignal.any([deadline, request.signal]) : deadline,
    });
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of response.body ?? []) {
      size += part.length;
      if (size > request.maxBytes)
        throw new HttpError("too-large", `the answer is longer than ${request.maxBytes} bytes`);
      parts.push(part);
    }
    return { status: response.status, body: Buffer.concat(parts, size) };
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (request.signal?.aborted) throw new HttpError("aborted", "stopped by the caller", { cause: error });
    if (deadline.aborted) {
      throw new HttpError("timeout", `no complete answer within ${request.timeoutMs} ms`, { cause: error });
    }
    throw new HttpError("unreachable", `cannot be reached (${reasonOf(error)})`, { cause: error });
  }
}
