import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

export const DEPLOY = join(import.meta.dirname, "..", "..", "deploy");

export interface Service {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  network_mode?: string;
  depends_on?: Record<string, unknown>;
}

export interface ComposeFile {
  services: Record<string, Service>;
  volumes?: Record<string, unknown>;
}

/** A compose file with merge keys resolved, and with variables replaced as docker compose does. */
export function readCompose(file: string, variables: Readonly<Record<string, string>>): ComposeFile {
  const text = readFileSync(join(DEPLOY, file), "utf8");
  return resolved(parse(text, { merge: true }), (value) => interpolate(value, variables)) as ComposeFile;
}

/** `${NAME}`, `${NAME:-default}` and `${NAME:?message}`; the last throws when there is no value. */
export function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, rest = "") => {
    const value = variables[name] ?? "";
    if (value === "" && kind === "?") throw new Error(`variable ${name} is not set: ${rest}`);
    return value === "" && kind === "-" ? rest : value;
  });
}

function resolved(value: unknown, text: (value: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((item) => resolved(item, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolved(item, text)]));
}
