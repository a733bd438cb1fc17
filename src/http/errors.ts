type HttpErrorKind = "unreachable" | "timeout" | "too-slow" | "too-large" | "aborted" | "redirect";

/**
 * An HTTP exchange got no response. Neither message nor cause contains the URL, which may hold secrets; errors of the
 * runtime may contain it, so they are not kept as the cause.
 */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly kind: HttpErrorKind;
  /** The system's error code of a failed connection, if that is what failed. */
  readonly code: string | undefined;

  constructor(kind: HttpErrorKind, rule: string, code?: string) {
    super(rule);
    this.kind = kind;
    this.code = code;
  }
}

/** The system's error code of a failed connection (such as ECONNREFUSED), without the address. */
export function failureCode(error: unknown): string {
  for (let e = error; e instanceof Error; e = e.cause) {
    const { code } = e as NodeJS.ErrnoException;
    if (typeof code === "string") return code;
  }
  return error instanceof Error ? error.name : "unknown";
}

const BAD_STATUS = /HTTP status (5\d\d|429)/;

/** Whether the server would fail other requests too: it hangs, drips, refuses connections, or says that it cannot. */
export function isServerOutage(error: unknown): boolean {
  if (error instanceof Error && BAD_STATUS.test(error.message)) return true;
  for (let e = error; e instanceof Error; e = e.cause) {
    if (e instanceof HttpError) return ["unreachable", "timeout", "too-slow", "aborted"].includes(e.kind);
  }
  return false;
}
