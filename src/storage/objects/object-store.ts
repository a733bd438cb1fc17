/** An object as a stream. */
export interface ObjectBody {
  /** Length in bytes; undefined if the store does not tell. */
  size: number | undefined;
  /** Can be read only once. Throws an ObjectStoreError if the store still fails after all retries. */
  pieces: AsyncIterable<Uint8Array>;
}

export interface ReadOptions {
  signal?: AbortSignal;
  /** A longer object is an error. Default 2 MiB. */
  maxBytes?: number;
}

/** Reads objects by key below some root: a folder, a web server, a bucket. Bytes are not decompressed. */
export interface ObjectReader {
  /** Redacted, for messages. */
  readonly name: string;
  /** The object's bytes; undefined if it is absent. Throws an ObjectStoreError if the store cannot be read. */
  get(key: string, options?: ReadOptions): Promise<Uint8Array | undefined>;
  has(key: string, signal?: AbortSignal): Promise<boolean>;
  /** The object as a stream, for objects too large for memory; undefined if it is absent. */
  open(key: string, signal?: AbortSignal): Promise<ObjectBody | undefined>;
}

export interface WriteOptions {
  /** MIME type; default application/octet-stream. */
  contentType?: string;
  /** Set if the content is compressed: readers that honour the header see it decompressed. */
  contentEncoding?: "gzip";
  /** Cache-Control header, for stores served over HTTP. */
  cacheControl?: string;
  /** Make the object publicly readable, if the store supports per-object ACLs. */
  publicRead?: boolean;
  signal?: AbortSignal;
}

/** An ObjectReader that can also write. */
export interface ObjectStore extends ObjectReader {
  /** Writes atomically: readers see the old object or the complete new one. Throws an ObjectStoreError. */
  put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>, options?: WriteOptions): Promise<void>;
}

export const DEFAULT_MAX_BYTES = 2 * 1024 * 1024;
