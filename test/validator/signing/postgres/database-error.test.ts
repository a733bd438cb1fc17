import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { EndpointBook } from "../../../../src/endpoints/endpoint-book.ts";
import { DutyDatabaseError, databaseError } from "../../../../src/validator/signing/postgres/database-error.ts";
import { DutyDatabase } from "../../../../src/validator/signing/postgres/duty-database.ts";
import { recordingLogger } from "../../../world/rpc/fakes.ts";

const URL = "postgresql://svc:secret-word@db.example:5432/secret-name?options=secret-option";
const withCode = (code: string, text = "text of the server") => Object.assign(new Error(text), { code });

test.each([
  ["53100", "its disk is full"],
  ["53300", "it has no connection left"],
  ["25006", "the server is read-only, as a standby is"],
  ["55000", "the server is in recovery, as a standby is"],
  ["57P01", "the server shuts down"],
  ["40001", "a transaction of it must be repeated"],
  ["08006", "text of the server (SQLSTATE 08006)"],
  ["ECONNREFUSED", "nobody listens at its address"],
  ["ECONNRESET", "the connection was reset"],
])("a statement that fails with %s can be repeated", (code, rule) => {
  const error = databaseError(withCode(code), URL);
  expect(error.message).toBe(`high-availability database: ${rule}`);
  expect(error.transient).toBe(true);
});

test.each([
  ["42P01", "it has no tables; run `svc migrate-ha-db up --database-url <url>` first"],
  ["42501", "this user has no rights to its tables"],
  ["28P01", "it refuses the password"],
  ["3D000", "the server has no database of that name"],
  ["22001", "text of the server (SQLSTATE 22001)"],
])("a statement that fails with %s is not repeated", (code, rule) => {
  const error = databaseError(withCode(code), URL);
  expect(error.message).toBe(`high-availability database: ${rule}`);
  expect(error.transient).toBe(false);
});

test("errors of all addresses of a host become one line", () => {
  const cause = new AggregateError([withCode("ECONNREFUSED"), withCode("ENETUNREACH")]);
  expect(databaseError(cause, URL).message).toBe("high-availability database: nobody listens at its address");
});

test("texts of the server lose the parts of the URL, further lines and excessive length", () => {
  const text = `no access for ${URL}: secret-word, secret-name, secret-option ${"x".repeat(10_000)}\nsecond line`;
  const { message } = databaseError(withCode("XX000", text), URL);
  expect(message).not.toMatch(/secret|second/);
  expect(message.length).toBeLessThan(300);
});

test("an error that was converted before stays as it is", () => {
  const error = new DutyDatabaseError("rule");
  expect(databaseError(error, URL)).toBe(error);
});

test("a database that accepts connections and never answers delays one statement, and later ones fail at once", async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const url = `postgresql://svc:word@127.0.0.1:${(silent.address() as AddressInfo).port}/duties`;
  const log = recordingLogger();
  const endpoints = new EndpointBook({ logger: log });
  const settings = { maxConnections: 10, minConnections: 0, idleTimeoutMs: 10_000, connectionTimeoutMs: 60_000 };
  const database = new DutyDatabase(url, settings, () => undefined, endpoints);
  try {
    await expect(database.open()).rejects.toMatchObject({
      transient: true,
      message: expect.stringContaining("no answer within 5 s"),
    });
    const refused = { transient: true, message: expect.stringContaining("does not answer") };
    // This one waits for a probe, and the next for nothing.
    await expect(database.open()).rejects.toMatchObject(refused);
    const before = sockets.length;
    await expect(database.open()).rejects.toMatchObject(refused);
    expect(sockets).toHaveLength(before);
    expect(log.entries.map(({ message }) => message)).toEqual(["the {service} endpoint {endpoint} fails"]);
    expect(JSON.stringify(log.entries)).not.toContain("word");
  } finally {
    endpoints.close();
    for (const socket of sockets) socket.destroy();
    await database.close();
    silent.close();
  }
});
