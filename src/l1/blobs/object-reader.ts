/** Reads whole objects by key below some root: a folder, a web server, a bucket. */
export interface ObjectReader {
  /** For messages; redacted. */
  readonly name: string;
  /** The object's bytes, undefined when there is none. Throws a BlobSourceError when the root cannot be asked. */
  get(key: string, signal?: AbortSignal): Promise<Uint8Array | undefined>;
}

/** An ObjectReader of a root that can be written to. */
export interface ObjectStore extends ObjectReader {
  has(key: string): Promise<boolean>;
  /** Readers see the old object or the whole new one. */
  put(key: string, content: Uint8Array): Promise<void>;
}
