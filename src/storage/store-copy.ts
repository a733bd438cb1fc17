import { fork } from "node:child_process";
import { moduleBeside } from "../threads/module-beside.ts";
import { makeFolder } from "./make-folder.ts";
import type { CopyAnswer, CopyRequest } from "./store-copy-process.ts";

/** The copy of a store failed. A partial copy is unusable. */
class StoreCopyError extends Error {
  readonly path: string;
  readonly target: string;
  readonly reason: string;

  constructor(path: string, target: string, reason: string) {
    super(`the store ${path} cannot be copied to ${target}: ${reason}`);
    this.name = "StoreCopyError";
    this.path = path;
    this.target = target;
    this.reason = reason;
  }
}

/**
 * Copies the latest commit of the environment in `path` to the new folder `target`, without free pages, while the
 * environment is in use. The copy runs in a separate process, because within this process it could not be aborted, and
 * closing the environment during the copy would crash. The copy's snapshot keeps replaced pages alive, so the store
 * grows meanwhile. Throws StoreCopyError, or the reason of `signal`.
 */
export function copyStore(request: CopyRequest, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { path, target } = request;
  makeFolder(target);
  const child = fork(moduleBeside(import.meta.url, "store-copy-process"), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    env: {},
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const said: Buffer[] = [];
  child.stderr?.on("data", (part: Buffer) => void (said.length < 16 && said.push(part)));
  let answer: CopyAnswer | undefined;
  child.once("message", (given: CopyAnswer) => {
    answer = given;
  });
  const stop = (): void => void child.kill("SIGKILL");
  signal?.addEventListener("abort", stop, { once: true });
  return new Promise<void>((resolve, reject) => {
    const failed = (reason: string): void => reject(new StoreCopyError(path, target, reason));
    child.once("error", (error) => failed(error.message));
    child.once("close", (code, killedBy) => {
      signal?.removeEventListener("abort", stop);
      if (signal?.aborted) reject(signal.reason);
      else if (answer?.copied) resolve();
      else {
        const words = Buffer.concat(said).toString().trim().split("\n")[0];
        failed(answer?.reason ?? (words || `its process ended with ${killedBy ?? `code ${code}`}`));
      }
    });
    child.send(request, (error) => {
      if (error) failed(error.message);
    });
  });
}
