/** An object whose bytes come one piece after another. */
export interface ObjectBody {
  /** Length in bytes, undefined when the store does not tell. */
  size: number | undefined;
  /** To be read once. Throws an ObjectStoreError when the store fails for longer than the retries. */
  pieces: AsyncIterable<Uint8Array>;
}

export interface ReadOptions {
  signal?: AbortSignal;
  /** A longer object is an error; 2 MiB unless told. */
  maxBytes?: number;
}

/** Reads objects by key below some root: a folder, a web server, a bucket. Bytes are given as they are stored. */
export interface ObjectReader {
  /** For messages; redacted. */
  readonly name: string;
  /** The object's bytes, undefined when there is none. Throws an ObjectStoreError when the root cannot be asked. */
  get(key: string, options?: ReadOptions): Promise<Uint8Array | undefined>;
  has(key: string, signal?: AbortSignal): Promise<boolean>;
  /** The object as a stream, undefined when there is none: for what is too long to be held in memory. */
  open(key: string, signal?: AbortSignal): Promise<ObjectBody | undefined>;
}

export interface WriteOptions {
  /** MIME type; application/octet-stream unless told. */
  contentType?: string;
  /** For stores that are served over HTTP. */
  cacheControl?: string;
  /** Anyone may read the object, where the store knows such a right for one object. */
  publicRead?: boolean;
  signal?: AbortSignal;
}

/** An ObjectReader of a root that can be written to. */
export interface ObjectStore extends ObjectReader {
  /** Readers see the old object or the whole new one. Throws an ObjectStoreError. */
  put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>, options?: WriteOptions): Promise<void>;
}

export const DEFAULT_MAX_BYTES = 2 * 1024 * 1024;
