import { type Svc, spawnSvc } from "../cli/run-svc.ts";

/** A local network in its own process, and its URLs. */
export interface Network {
  readonly svc: Svc;
  readonly url: string;
  readonly l1Url: string;
  /** Its admin port asks for no key. */
  readonly adminUrl: string;
}

/** Starts a local network on free ports; resolves once it logs that it is ready. */
export async function startNetwork(
  args: string[] = [],
  environment: Record<string, string> = {},
  program?: readonly string[],
): Promise<Network> {
  const free = ["--port", "0", "--admin-port", "0", "--local-network.l1Port", "0", "--disable-admin-api-key"];
  const svc = spawnSvc(["start", "--local-network", ...free, ...args], environment, program);
  const [, url, adminUrl, l1Url] = await svc.shows(
    /JSON-RPC +(http\S+)\s+admin +(http\S+)[\s\S]*\n {2}L1 +(http\S+)[\s\S]*Ctrl-C stops it/,
  );
  return { svc, url, adminUrl, l1Url };
}

export async function call<T>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
