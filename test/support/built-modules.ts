import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

/** Loads built modules in place of `src/*.ts`, see program.ts. */
const root = new URL("../../", import.meta.url);
const source = new URL("src/", root).href;
const built = pathToFileURL(`${root.pathname}build/src/`).href;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (!found.url.startsWith(source) || !found.url.endsWith(".ts")) return found;
    const url = `${built}${found.url.slice(source.length, -".ts".length)}.js`;
    return { ...found, url, format: "module" };
  },
});
