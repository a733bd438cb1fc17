export type HttpErrorKind = "unreachable" | "timeout" | "too-slow" | "too-large" | "aborted" | "redirect";

/**
 * An HTTP exchange did not come to an answer. Neither message nor cause repeats the URL: what fetch throws may hold it, so that is not
 * kept as the cause.
 */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly kind: HttpErrorKind;

  constructor(kind: HttpErrorKind, rule: string) {
    super(rule);
    this.kind = kind;
  }
}

/** The system's word for a failed connection (ECONNREFUSED and the like), without the address. */
export function failureCode(error: unknown): string {
  for (let e = error; e instanceof Error; e = e.cause) {
    const { code } = e as NodeJS.ErrnoException;
    if (typeof code === "string") return code;
  }
  return error instanceof Error ? error.name : "unknown";
}

/** Whether an error says, itself or by its causes, that a server made its caller wait. */
export function isSlowness(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (e instanceof HttpError) return e.kind === "timeout" || e.kind === "too-slow";
  }
  return false;
}
