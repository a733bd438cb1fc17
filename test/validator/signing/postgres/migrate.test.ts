import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../../../src/validator/signing/postgres/migrate.ts";
import { PostgresServer } from "../../../world/validator/postgres-server.ts";

const REFERENCE = readFileSync(new URL("../../../fixtures/signing/reference-schema.sql", import.meta.url), "utf8");
let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.create();
});

afterAll(() => server?.remove());

test("the migration makes the tables of the reference, and is listed under its name", async () => {
  const url = await server.createDatabase("one");
  expect(await migrate(url, "up")).toEqual(["1_initial-schema"]);
  expect(server.schema("one")).toBe(REFERENCE);
  expect(await server.query("SELECT version FROM schema_version", [], url)).toEqual([{ version: 1 }]);
  expect(await server.query("SELECT id, name FROM pgmigrations", [], url)).toEqual([
    { id: 1, name: "1_initial-schema" },
  ]);
});

test("a migration that was applied is not applied again, and can be taken back once", async () => {
  const url = await server.createDatabase("two");
  await migrate(url, "up");
  expect(await migrate(url, "up")).toEqual([]);
  expect(await migrate(url, "down")).toEqual(["1_initial-schema"]);
  expect(await migrate(url, "down")).toEqual([]);
  const tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'";
  expect(await server.query(tables, [], url)).toEqual([{ tablename: "pgmigrations" }]);
});

test("migrations that run at the same time change the tables once", async () => {
  const url = await server.createDatabase("three");
  const results = await Promise.allSettled([migrate(url, "up"), migrate(url, "up"), migrate(url, "up")]);
  const applied = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  expect(applied).toEqual(["1_initial-schema"]);
  for (const result of results) {
    if (result.status === "rejected") expect(String(result.reason)).toContain("another migration is running");
  }
});

test("a database of another program is left alone", async () => {
  const url = await server.createDatabase("four");
  await server.query("CREATE TABLE pgmigrations (id SERIAL PRIMARY KEY, name varchar(255), run_on timestamp)", [], url);
  await server.query("INSERT INTO pgmigrations (name, run_on) VALUES ('1_users', NOW())", [], url);
  await expect(migrate(url, "up")).rejects.toThrow("its migration 1 is 1_users, not 1_initial-schema");
  await expect(migrate(url, "down")).rejects.toThrow("its last migration 1_users is not known to this program");
});
