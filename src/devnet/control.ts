import { chmodSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { directoryHolder } from "../storage/directory-lock.ts";
import { DevnetError } from "./errors.ts";
import type { DevnetFolder } from "./folder.ts";
import type { PartState } from "./part.ts";
import { isWatched } from "./process-watch.ts";

const ACTIONS = ["status", "stop", "kill", "restart"] as const;
type Action = (typeof ACTIONS)[number];

export interface ControlRequest {
  action: Action;
  /** Undefined: the whole network. */
  name?: string;
}

/** What is shown of a node. */
export interface NodeStatus {
  name: string;
  role: string;
  state: PartState;
  endedWith?: string;
  pid?: number;
  rpc?: string;
  admin?: string;
  metrics?: string;
  page?: string;
  block?: number;
  log: string;
}

export interface ControlAnswer {
  /** What was done, as a sentence. */
  done?: string;
  nodes?: NodeStatus[];
  error?: string;
}

/** The program gives up after a minute, and the watch of its processes soon after. */
const END_LIMIT_MS = 90_000;
const LOOK_MS = 100;
const MAX_REQUEST = 1024;
/** More than a stop and a start take together, behind those of another node. */
const ANSWER_LIMIT_MS = 300_000;
/** Of the addresses of Unix sockets, with the final zero. */
const MAX_SOCKET_PATH = 107;

function parseRequest(text: string): ControlRequest {
  let request: Partial<ControlRequest>;
  try {
    request = JSON.parse(text) as Partial<ControlRequest>;
  } catch {
    throw new DevnetError("the request is no JSON");
  }
  const { action, name } = request ?? {};
  if (!ACTIONS.includes(action as Action)) throw new DevnetError(`the action must be one of ${ACTIONS.join(", ")}`);
  if (name !== undefined && typeof name !== "string") throw new DevnetError("the name must be a text");
  return { action: action as Action, name };
}

/** Reads one line. Rejects for one that is too long. */
function requestLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("data", (part: Buffer) => {
      text += part.toString("utf8");
      const end = text.indexOf("\n");
      if (end >= 0) resolve(text.slice(0, end));
      else if (text.length > MAX_REQUEST)
        reject(new DevnetError(`the request has more than ${MAX_REQUEST} characters`));
    });
    socket.once("error", reject);
    socket.once("end", () => reject(new DevnetError("the request has no end")));
  });
}

/** Refuses a folder whose socket could not be named. Throws a DevnetError. */
export function requireSocketPath({ controlSocket, path }: DevnetFolder): void {
  const excess = Buffer.byteLength(controlSocket) - MAX_SOCKET_PATH;
  if (excess <= 0) return;
  throw new DevnetError(`--data-directory ${path} must be shorter by ${excess} bytes: its control socket has no name`);
}

interface ControlServer {
  /** Ends open requests too. */
  close(): void;
}

/** Answers requests at a Unix socket that only this user can reach. Resolves once it listens. */
export function serveControl(
  path: string,
  handle: (request: ControlRequest) => Promise<ControlAnswer>,
): Promise<ControlServer> {
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    const answer = async (): Promise<ControlAnswer> => {
      try {
        return await handle(parseRequest(await requestLine(socket)));
      } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) };
      }
    };
    socket.on("error", () => socket.destroy()).once("close", () => sockets.delete(socket));
    void answer().then((value) => socket.end(`${JSON.stringify(value)}\n`));
  });
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      chmodSync(path, 0o600);
      resolve({ close });
    });
  });
}

/** Asks the running devnet of a folder. Throws a DevnetError if there is none, or with its error. */
export async function askDevnet(folder: DevnetFolder, request: ControlRequest): Promise<ControlAnswer> {
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(folder.controlSocket, () => socket.write(`${JSON.stringify(request)}\n`));
    let answer = "";
    socket.setTimeout(ANSWER_LIMIT_MS, () => socket.destroy(new Error(`no answer within ${ANSWER_LIMIT_MS} ms`)));
    socket.on("data", (part: Buffer) => {
      answer += part.toString("utf8");
    });
    socket.once("end", () => resolve(answer));
    socket.once("error", reject);
  }).catch((cause: NodeJS.ErrnoException) => {
    const gone = cause.code === "ENOENT" || cause.code === "ECONNREFUSED";
    const reason = gone ? "no devnet runs there" : cause.message;
    throw new DevnetError(`the devnet in ${folder.path} cannot be reached: ${reason}`, { cause });
  });
  if (!text.endsWith("\n")) throw new DevnetError(`the devnet in ${folder.path} ended before it answered`);
  const answer = JSON.parse(text) as ControlAnswer;
  if (answer.error !== undefined) throw new DevnetError(answer.error);
  return answer;
}

/** Waits until a network that is being stopped has ended, with all its processes. Throws a DevnetError. */
export async function untilStopped({ path, watchFile }: DevnetFolder): Promise<void> {
  const end = performance.now() + END_LIMIT_MS;
  while (directoryHolder(path) !== undefined || isWatched(watchFile)) {
    if (performance.now() > end) {
      throw new DevnetError(`the devnet in ${path} has not ended within ${END_LIMIT_MS / 1000} s`);
    }
    await sleep(LOOK_MS);
  }
}
