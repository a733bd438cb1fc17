/**
 * URL of the sibling module `name`, to start a thread or child process: a .ts file when running from source, a .js file
 * when compiled. `from` is the caller's `import.meta.url`.
 */
export function moduleBeside(from: string, name: string): URL {
  return new URL(`./${name}.${from.endsWith(".ts") ? "ts" : "js"}`, from);
}
