/** The JSON-RPC URLs of the nodes that calls are forwarded to, in order of preference. They may change. */
export class UpstreamUrls {
  #urls: readonly string[];
  readonly #listeners = new Set<() => void>();

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  get current(): readonly string[] {
    return this.#urls;
  }

  change(urls: readonly string[]): void {
    if (urls.length === this.#urls.length && urls.every((url, at) => url === this.#urls[at])) return;
    this.#urls = urls;
    for (const listener of this.#listeners) listener();
  }

  /** Returns an unsubscribe function. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
