import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

/**
 * Loads modules of this project with other constants: `node --import replace-texts.ts?FILE`, where FILE is a JSON list
 * of Replacement. Threads inherit the option.
 */
export interface Replacement {
  /** End of the module's URL, without the extension of a script. */
  module: string;
  from: string;
  to: string;
}

const file = new URL(import.meta.url).search.slice(1);
const replacements = JSON.parse(readFileSync(decodeURIComponent(file), "utf8")) as Replacement[];

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    const name = url.replace(/\.[jt]s$/, "");
    const wanted = replacements.filter(({ module }) => name.endsWith(module));
    if (wanted.length === 0) return loaded;
    let source = Buffer.from(loaded.source as Uint8Array).toString("utf8");
    for (const { from, to } of wanted) {
      if (source.split(from).length !== 2) throw new Error(`${url} must have ${from} once`);
      source = source.replace(from, to);
    }
    return { ...loaded, source };
  },
});
