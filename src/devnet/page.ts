import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { NodeStatus } from "./control.ts";

const HOST = "127.0.0.1";
const REFRESH_S = 5;
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};
const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{margin:2rem auto;max-width:70rem;padding:0 1rem}
table{border-collapse:collapse}th,td{text-align:left;padding:.3rem .8rem;border-bottom:1px solid #8886}`;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: unknown): string => String(text ?? "-").replace(/[&<>"]/g, (char) => ENTITIES[char]);

function link(url: string | undefined, text: string): string {
  return url === undefined ? "-" : `<a href="${escaped(url)}">${escaped(text)}</a>`;
}

function row(node: NodeStatus): string {
  const state = node.endedWith === undefined ? node.state : `${node.state} (${node.endedWith})`;
  const metrics = node.metrics === undefined ? undefined : `${node.metrics}/metrics`;
  const cells = [node.role, state, node.pid, node.block, node.rpc].map(escaped);
  const links = [link(node.page, "page"), link(metrics, "metrics")];
  return `<tr><th scope="row">${escaped(node.name)}</th>${[...cells, ...links].map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

const TITLES = ["name", "role", "state", "process", "block", "RPC", "page", "metrics"];

function document(nodes: readonly NodeStatus[]): string {
  const head = TITLES.map((title) => `<th scope="col">${title}</th>`).join("");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${REFRESH_S}"><title>svc devnet</title><style>${STYLE}</style></head><body><main>
<h1>svc devnet</h1><table><thead><tr>${head}</tr></thead><tbody>${nodes.map(row).join("\n")}</tbody></table>
<p>svc devnet stop NAME | kill NAME | restart NAME</p></main></body></html>\n`;
}

/** Serves the nodes of a network as a page that renews itself. Resolves once it listens on loopback. */
export function servePage(port: number, status: () => Promise<NodeStatus[]>): Promise<Server> {
  const answer = async ({ method, url, headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A name that leads here from elsewhere (DNS rebinding) must not show the page to another site.
    if (headers.host !== `${HOST}:${port}` && headers.host !== `localhost:${port}`) response.writeHead(403).end();
    else if (url !== "/") response.writeHead(404).end();
    else if (method !== "GET") response.writeHead(405, { allow: "GET" }).end();
    else response.writeHead(200, HEADERS).end(document(await status()));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, () => resolve(server));
  });
}
