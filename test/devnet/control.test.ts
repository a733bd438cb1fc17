import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { askDevnet, type ControlAnswer, serveControl, untilStopped } from "../../src/devnet/control.ts";
import { DevnetFolder } from "../../src/devnet/folder.ts";
import { lockDirectory } from "../../src/storage/directory-lock.ts";
import { processMark } from "../../src/storage/process-mark.ts";

let folder: DevnetFolder;

beforeEach(() => {
  folder = new DevnetFolder(mkdtempSync(join(tmpdir(), "svc-devnet-control-")));
});
afterEach(() => rmSync(folder.path, { recursive: true, force: true }));

/** What the control socket answers to a text. */
function answerTo(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(folder.controlSocket, () => socket.end(text));
    socket.on("data", (part) => (answer += String(part)));
    socket.once("close", () => resolve(answer)).once("error", reject);
  });
}

test("a request is answered by what handles it, and wrong ones with what is wrong", async () => {
  const server = await serveControl(folder.controlSocket, async ({ action, name }) => {
    if (name === "nobody") throw new Error("no node is named so");
    return { done: `${action} ${name}` };
  });
  try {
    expect(statSync(folder.controlSocket).mode & 0o777).toBe(0o600);
    expect(await askDevnet(folder, { action: "kill", name: "validator-1" })).toEqual({ done: "kill validator-1" });
    await expect(askDevnet(folder, { action: "kill", name: "nobody" })).rejects.toThrow("no node is named so");
    const errors = {
      "no json\n": "the request is no JSON",
      "null\n": "the action must be one of status, stop, kill, restart",
      '{"action":"erase"}\n': "the action must be one of status, stop, kill, restart",
      '{"action":"stop","name":1}\n': "the name must be a text",
      [`${"x".repeat(2000)}`]: "the request has more than 1024 characters",
      half: "the request has no end",
    };
    for (const [text, error] of Object.entries(errors)) expect(JSON.parse(await answerTo(text))).toEqual({ error });
  } finally {
    server.close();
  }
});

test("an open request ends with the server, and is told so", async () => {
  const asked = Promise.withResolvers<void>();
  const server = await serveControl(folder.controlSocket, () => {
    asked.resolve();
    return new Promise<ControlAnswer>(() => {});
  });
  const refused = expect(askDevnet(folder, { action: "stop", name: "validator-1" })).rejects.toThrow(
    `the devnet in ${folder.path} ended before it answered`,
  );
  await asked.promise;
  server.close();
  await refused;
  await expect(askDevnet(folder, { action: "status" })).rejects.toThrow(
    `the devnet in ${folder.path} cannot be reached: no devnet runs there`,
  );
});

test("half an answer is no answer", async () => {
  const server = createServer((socket) => socket.end('{"done":"validator-1'));
  await new Promise<void>((resolve) => server.listen(folder.controlSocket, resolve));
  try {
    await expect(askDevnet(folder, { action: "status" })).rejects.toThrow("ended before it answered");
  } finally {
    server.close();
  }
});

test("a network has stopped once nobody holds its folder and its processes have ended", async () => {
  mkdirSync(folder.path, { recursive: true });
  const order: string[] = [];
  const lock = lockDirectory(folder.path, () => {});
  writeFileSync(folder.watchFile, JSON.stringify(processMark(process.pid)));
  const stopped = untilStopped(folder).then(() => order.push("stopped"));
  setImmediate(() => {
    order.push("ended");
    lock.release();
    rmSync(folder.watchFile);
  });
  await stopped;
  expect(order).toEqual(["ended", "stopped"]);
});
