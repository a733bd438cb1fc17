import { jsonStringify } from "@aztec/foundation/json-rpc";
import { makeFetch } from "@aztec/foundation/json-rpc/client";
import {
  AztecNodeAdminApiSchema,
  AztecNodeApiSchema,
  createAztecNodeAdminClient,
  createAztecNodeClient,
} from "@aztec/stdlib/interfaces/client";

/** A client of the library: functions by method name. Parameters and results are values of the library's types. */
export type Client = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;

/** The library's schema of one method. */
interface MethodSchema {
  parameters(): { items: readonly unknown[]; parseAsync(params: unknown): Promise<unknown[]> };
  returnType(): { parseAsync(result: unknown): Promise<unknown> };
}

const nodeSchema = AztecNodeApiSchema as unknown as Readonly<Record<string, MethodSchema>>;

export const NODE_METHODS: readonly string[] = Object.keys(nodeSchema);
export const ADMIN_METHODS: readonly string[] = Object.keys(AztecNodeAdminApiSchema);

/** Versions that a client requires; the keys are those of the `x-aztec-` headers. */
export type Versions = Record<string, string | number>;

/** Number of calls in each body that clients of `nodeClient` sent. */
export const batchSizes: number[] = [];

const send = makeFetch([], true);

export function nodeClient(url: string, versions: Versions = {}): Client {
  const counting: typeof send = (host, body, ...more) => {
    batchSizes.push(Array.isArray(body) ? body.length : 1);
    return send(host, body, ...more);
  };
  return createAztecNodeClient(url, versions, counting) as unknown as Client;
}

export function adminClient(url: string, apiKey: string | undefined, versions: Versions = {}): Client {
  return createAztecNodeAdminClient(url, versions, undefined, apiKey) as unknown as Client;
}

/** Converts recorded parameters to the library's types; those that the library refuses stay unchanged. */
export async function typedParams(method: string, params: readonly unknown[]): Promise<unknown[]> {
  const schema = nodeSchema[method]?.parameters();
  if (schema === undefined) return [...params];
  const padded = [...params, ...new Array(Math.max(0, schema.items.length - params.length)).fill(undefined)];
  try {
    return (await schema.parseAsync(padded)).slice(0, params.length);
  } catch {
    return [...params];
  }
}

/** Text of a recorded result as the library reads it, to compare answers. */
export async function readAs(method: string, result: unknown): Promise<string | undefined> {
  if (result === undefined || result === null) return undefined;
  return textOf(await nodeSchema[method].returnType().parseAsync(result));
}

export function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : jsonStringify(value);
}
