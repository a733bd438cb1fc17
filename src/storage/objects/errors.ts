import { OperatorError } from "../../errors/operator-error.ts";

export type ObjectOperation = "name" | "read" | "look up" | "write" | "authorize";

/** An operation on an object store failed. */
export class ObjectStoreError extends Error {
  override readonly name = "ObjectStoreError";
  /** Redacted URL of the store. */
  readonly store: string;
  readonly operation: ObjectOperation;
  readonly key: string;
  /** The violated rule or the store's message, in one clause. */
  readonly rule: string;

  constructor(at: { store: string; operation: ObjectOperation; key: string }, rule: string, options?: ErrorOptions) {
    super(`object store ${at.store}: cannot ${at.operation} ${at.key}: ${rule}`, options);
    this.store = at.store;
    this.operation = at.operation;
    this.key = at.key;
    this.rule = rule;
  }
}

/** A URL that is not an object store of the required kind, or whose credentials are missing or unreadable. */
export class ObjectStoreUrlError extends OperatorError {
  override readonly errorCode: string = "object-store-url";

  override readonly name = "ObjectStoreUrlError";
  /** Redacted. */
  readonly url: string;
  readonly rule: string;

  constructor(url: string, rule: string, options?: ErrorOptions) {
    super(`${rule} (${url})`, options);
    this.url = url;
    this.rule = rule;
  }
}
