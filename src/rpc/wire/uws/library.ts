import type * as library from "uWebSockets.js";

/** The library with two exports that its type declarations leave out. */
type UwsLibrary = typeof library & {
  _cfg(setting: "silent"): void;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
};

/**
 * npm packages with binaries of uWebSockets.js. The first has them for Node.js 22. The second has them for Node.js 24,
 * which need glibc 2.38; it is not a dependency, since it unpacks to more than 100 MB, but may be installed beside this
 * program.
 */
const PACKAGES = ["uWebSockets.js", "@btc-vision/uwebsockets.js"] as const;

/** Loads the first package that has a binary for this process. Rejects with the reasons of all. */
async function load(): Promise<UwsLibrary> {
  const reasons: unknown[] = [];
  for (const name of PACKAGES) {
    try {
      const loaded = (await import(name)) as UwsLibrary | { default: UwsLibrary };
      // The names of the second package's module are not all that its binary has.
      return "default" in loaded ? loaded.default : loaded;
    } catch (error) {
      reasons.push(error);
    }
  }
  const said = reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason)));
  throw new AggregateError(reasons, said.join("; "));
}

export const uws = await load();
