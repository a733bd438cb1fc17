/**
 * A copy of plain data in which every byte array owns its buffer, shared memory stays shared, and errors keep only
 * their name, message and stack. A posted view would carry its whole buffer.
 */
export function detached<T>(value: T): T {
  return copy(value) as T;
}

/** The buffers of what `detached` made, which the thread that takes it can have without another copy. */
export function detachedBuffers(value: unknown): ArrayBuffer[] {
  if (value instanceof Uint8Array) return [value.buffer as ArrayBuffer];
  if (Array.isArray(value)) return value.flatMap(detachedBuffers);
  if (typeof value !== "object" || value === null || value instanceof SharedArrayBuffer) return [];
  return Object.values(value).flatMap(detachedBuffers);
}

function copy(value: unknown): unknown {
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (value instanceof SharedArrayBuffer) return value;
  if (value instanceof Error) return Object.assign(new Error(value.message), { name: value.name, stack: value.stack });
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copy(member)]));
}
