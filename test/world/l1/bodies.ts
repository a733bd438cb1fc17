import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

/** HTTP answers that no honest server gives. Each ends when its connection does. */

export type Respond = (response: ServerResponse, truth: Buffer) => void;

const json = { "content-type": "application/json" };

export const status =
  (code: number, headers: Record<string, string> = {}, body = "no"): Respond =>
  (response) =>
    void response.writeHead(code, headers).end(body);

export const whole =
  (body: (truth: Buffer) => string | Uint8Array, headers: Record<string, string> = {}): Respond =>
  (response, truth) =>
    void response.writeHead(200, { ...json, ...headers }).end(body(truth));

export const closes: Respond = (response) => void response.destroy();

export const closesWithin: Respond = (response, truth) => {
  response.writeHead(200, { ...json, "content-length": truth.length + 10 });
  response.write(truth.subarray(0, Math.ceil(truth.length / 2)), () => response.destroy());
};

export const hangs: Respond = () => {};

export const hangsWithin: Respond = (response, truth) => {
  response.writeHead(200, json);
  response.write(truth.subarray(0, Math.ceil(truth.length / 2)));
};

export const drips: Respond = (response) => {
  response.writeHead(200, json);
  const timer = setInterval(() => response.write(" "), 20);
  response.once("close", () => clearInterval(timer));
};

/** Repeats `piece` without end. */
export const endless =
  (piece: Buffer): Respond =>
  (response) => {
    response.writeHead(200, json);
    const more = (): void => {
      while (!response.destroyed) if (!response.write(piece)) return void response.once("drain", more);
    };
    more();
  };

const BOMB = gzipSync(Buffer.alloc(256 * 1024 * 1024, 0x20), { level: 1 });
export const bomb: Respond = (response) => {
  response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(BOMB);
};

/** Announces chunks and sends other bytes. */
export const brokenChunks: Respond = (response) => {
  response.socket?.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nno chunk\r\n");
};

export const noHttp: Respond = (response) => {
  response.socket?.end("SSH-2.0-OpenSSH_9.9\r\n");
};

export const hugeHead: Respond = (response) => {
  response.socket?.end(`HTTP/1.1 200 OK\r\nx-head: ${"h".repeat(1_000_000)}\r\n\r\n`);
};
