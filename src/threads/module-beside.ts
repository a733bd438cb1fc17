/**
 * URL of the module `name` beside the calling one, as a thread or child process is started with it: a .ts file when running from
 * source, a .js file when compiled. `from` is the caller's `import.meta.url`.
 */
export function moduleBeside(from: string, name: string): URL {
  return new URL(`./${name}.${from.endsWith(".ts") ? "ts" : "js"}`, from);
}
