import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

export type Attributes = Record<string, unknown>;

export interface CollectedPoint {
  attributes: Attributes;
  value?: number;
  counts?: number[];
  bounds?: number[];
  sum?: number;
}

export interface CollectedMetric {
  name: string;
  unit: string;
  kind: "gauge" | "sum" | "histogram";
  monotonic: boolean | undefined;
  points: CollectedPoint[];
}

export interface CollectedLog {
  /** Unix milliseconds. */
  time: number;
  severity: number;
  body: string;
  attributes: Attributes;
}

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  ms: number;
  attributes: Attributes;
  events: string[];
  error: boolean;
}

export interface CollectedRequest {
  path: string;
  resource: Attributes;
  metrics: CollectedMetric[];
  logs: CollectedLog[];
  spans: CollectedSpan[];
}

class InvalidRequest extends Error {}

type Json = Record<string, unknown>;

/**
 * Stands in for an OpenTelemetry collector: takes OTLP over HTTP as JSON (opentelemetry-proto 1.x), and refuses, as a
 * real one does, what is not of that form.
 */
export class Collector {
  readonly requests: CollectedRequest[] = [];
  /** Why requests were refused. */
  readonly faults: string[] = [];
  /** Answers with this status while it is set. */
  failWith: number | undefined;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Collector> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const status = collector.#take(request.url ?? "", request.headers, Buffer.concat(parts));
        response.writeHead(status, { "content-type": "application/json" });
        response.end("{}");
      });
    });
    const collector = new Collector(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return collector;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** Requests to a path so far. */
  to(path: string): CollectedRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(path: string, headers: NodeJS.Dict<string | string[]>, body: Buffer): number {
    if (this.failWith !== undefined) return this.failWith;
    try {
      if (headers["content-type"] !== "application/json") throw new InvalidRequest("content-type");
      const text = headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
      this.requests.push(...parsed(path, JSON.parse(text.toString("utf8"))));
      return 200;
    } catch (error) {
      this.faults.push(`${path}: ${String(error)}`);
      return 400;
    }
  }
}

function parsed(path: string, request: Json): CollectedRequest[] {
  const resources = ["resourceMetrics", "resourceLogs", "resourceSpans"].flatMap((key) => optionalList(request, key));
  if (resources.length === 0) throw new InvalidRequest("no resource");
  return resources.map((one) => {
    const scopes = ["scopeMetrics", "scopeLogs", "scopeSpans"].flatMap((key) => optionalList(one, key));
    const of = (key: string) => scopes.flatMap((scope) => optionalList(scope, key));
    return {
      path,
      resource: attributes(object(one, "resource")),
      metrics: of("metrics").map(metric),
      logs: of("logRecords").map(log),
      spans: of("spans").map(span),
    };
  });
}

function metric(json: Json): CollectedMetric {
  const base = { name: text(json, "name"), unit: text(json, "unit") };
  for (const kind of ["gauge", "sum", "histogram"] as const) {
    if (json[kind] === undefined) continue;
    const data = object(json, kind);
    if (kind !== "gauge" && data.aggregationTemporality !== 2) throw new InvalidRequest(`${base.name}: temporality`);
    const monotonic = kind === "sum" ? (data.isMonotonic as boolean) : undefined;
    return {
      ...base,
      kind,
      monotonic,
      points: optionalList(data, "dataPoints").map(kind === "histogram" ? buckets : value),
    };
  }
  throw new InvalidRequest(`${base.name} has no data`);
}

function value(json: Json): CollectedPoint {
  milliseconds(json, "timeUnixNano");
  milliseconds(json, "startTimeUnixNano");
  if (typeof json.asDouble !== "number") throw new InvalidRequest("asDouble");
  return { attributes: attributes(json), value: json.asDouble };
}

function buckets(json: Json): CollectedPoint {
  milliseconds(json, "timeUnixNano");
  const counts = (json.bucketCounts as string[]).map((count) => integer(count, "bucketCounts"));
  const bounds = json.explicitBounds as number[];
  if (counts.length !== bounds.length + 1) throw new InvalidRequest("bucketCounts");
  const count = integer(json.count, "count");
  if (counts.reduce((a, b) => a + b, 0) !== count) throw new InvalidRequest("count");
  return { attributes: attributes(json), counts, bounds, sum: json.sum as number };
}

function log(json: Json): CollectedLog {
  const severity = json.severityNumber as number;
  if (!(severity >= 1 && severity <= 24)) throw new InvalidRequest("severityNumber");
  const body = text(object(json, "body"), "stringValue");
  return { time: milliseconds(json, "timeUnixNano"), severity, body, attributes: attributes(json) };
}

function span(json: Json): CollectedSpan {
  return {
    traceId: id(json, "traceId", 32),
    spanId: id(json, "spanId", 16),
    parentSpanId: json.parentSpanId === undefined ? undefined : id(json, "parentSpanId", 16),
    name: text(json, "name"),
    ms: milliseconds(json, "endTimeUnixNano") - milliseconds(json, "startTimeUnixNano"),
    attributes: attributes(json),
    events: optionalList(json, "events").map((event) => text(event, "name")),
    error: (json.status as Json | undefined)?.code === 2,
  };
}

function attributes(json: Json): Attributes {
  return Object.fromEntries(
    optionalList(json, "attributes").map((pair) => [text(pair, "key"), plain(object(pair, "value"))]),
  );
}

function plain(json: Json): unknown {
  const [[kind, content], ...others] = Object.entries(json);
  if (others.length > 0) throw new InvalidRequest("value of two kinds");
  if (kind === "stringValue" || kind === "boolValue" || kind === "doubleValue") return content;
  if (kind === "intValue") return integer(content, "intValue");
  if (kind === "arrayValue") return optionalList(content as Json, "values").map(plain);
  if (kind === "kvlistValue") {
    return Object.fromEntries(
      optionalList(content as Json, "values").map((pair) => [pair.key, plain(object(pair, "value"))]),
    );
  }
  throw new InvalidRequest(`value of kind ${kind}`);
}

function object(json: Json, key: string): Json {
  const found = json[key];
  if (typeof found !== "object" || found === null) throw new InvalidRequest(`${key} is no object`);
  return found as Json;
}

function optionalList(json: Json, key: string): Json[] {
  const found = json[key] ?? [];
  if (!Array.isArray(found)) throw new InvalidRequest(`${key} is no list`);
  return found;
}

function text(json: Json, key: string): string {
  const found = json[key];
  if (typeof found !== "string") throw new InvalidRequest(`${key} is no text`);
  return found;
}

/** Integers of 64 bits are texts in JSON. */
function integer(found: unknown, key: string): number {
  if (typeof found !== "string" || !/^-?\d+$/.test(found)) throw new InvalidRequest(`${key} is no integer as a text`);
  return Number(found);
}

function milliseconds(json: Json, key: string): number {
  return integer(json[key], key) / 1e6;
}

function id(json: Json, key: string, digits: number): string {
  const found = text(json, key);
  if (!new RegExp(`^[0-9a-f]{${digits}}$`).test(found)) throw new InvalidRequest(`${key} is no id`);
  return found;
}
