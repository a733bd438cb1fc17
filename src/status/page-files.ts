import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A file of the status page as it is served. Plain data: it crosses threads. */
interface PageFile {
  /** Path below the page's own path, such as "app.js"; empty for the document. */
  readonly name: string;
  /** Hash of the content, without quotes. */
  readonly hash: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly bytes: Uint8Array;
}

/** What the document tells its scripts. */
interface PageSettings {
  /** URL of JSON-RPC, relative to the page. */
  rpc: string;
  /** Whether the admin methods are there. */
  admin: boolean;
  /** Whether it is the node of a local network. */
  local?: boolean;
  /** Whether calls need the admin API key. */
  key: boolean;
  /** Most calls of a batch. */
  batch: number;
}

/** Both when running from source and when built; the build copies the folder. */
const FOLDER = fileURLToPath(new URL("./page/", import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Files of packages that are served beside the page's own, under the names that the document's import map gives. */
function filesOfPackages(): Record<string, string> {
  const { resolve } = createRequire(import.meta.url);
  const beside = (module: string, file: string) => join(dirname(resolve(module)), file);
  return {
    "lib/preact.js": beside("preact", "preact.mjs"),
    "lib/hooks.js": beside("preact/hooks", "hooks.mjs"),
    "lib/htm.js": beside("htm", "htm.mjs"),
    "lib/uplot.js": beside("uplot", "uPlot.iife.min.js"),
    "lib/uplot.css": beside("uplot", "uPlot.min.css"),
  };
}

/** The only inline script: scripts of `'self'` run, and this text by its hash. */
const IMPORT_MAP = /<script type="importmap">([\s\S]*?)<\/script>/;

function securityHeaders(html: string): [string, string][] {
  const map = IMPORT_MAP.exec(html)?.[1] ?? "";
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'sha256-${createHash("sha256").update(map).digest("base64")}'`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return [
    ["Content-Security-Policy", policy.join("; ")],
    ["X-Content-Type-Options", "nosniff"],
    ["X-Frame-Options", "DENY"],
    ["Referrer-Policy", "no-referrer"],
    ["Cross-Origin-Opener-Policy", "same-origin"],
    ["Cross-Origin-Resource-Policy", "same-origin"],
    // Kept by browsers, and asked about by its hash each time: a new version of the node shows at the next load.
    ["Cache-Control", "no-cache"],
    ["Vary", "Accept-Encoding"],
  ];
}

function withSettings(html: string, { rpc, admin, local = false, key, batch }: PageSettings): string {
  const attributes = `data-rpc="${rpc}" data-admin="${admin}" data-local="${local}" data-key="${key}" data-batch="${batch}"`;
  return html.replace("<body", `<body ${attributes}`);
}

/** Reads all files of the page. */
export function pageFiles(settings: PageSettings): PageFile[] {
  const own = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((name) => extname(name) in TYPES);
  const paths = { ...Object.fromEntries(own.map((name) => [name, join(FOLDER, name)])), ...filesOfPackages() };
  const html = withSettings(readFileSync(paths["index.html"], "utf8"), settings);
  const headers = securityHeaders(html);
  return Object.entries(paths).map(([name, path]) => {
    const isDocument = name === "index.html";
    const bytes = isDocument ? Buffer.from(html) : readFileSync(path);
    return {
      name: isDocument ? "" : name,
      hash: createHash("sha256").update(bytes).digest("base64url").slice(0, 22),
      headers: [["Content-Type", TYPES[extname(name)]], ...headers],
      bytes: new Uint8Array(bytes),
    };
  });
}
