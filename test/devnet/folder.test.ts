import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { requireSocketPath } from "../../src/devnet/control.ts";
import { DevnetFolder } from "../../src/devnet/folder.ts";
import { newPlan } from "../../src/devnet/plan.ts";

const temporary = mkdtempSync(join(tmpdir(), "svc-devnet-folder-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

test("a folder gives back the network that was written into it", () => {
  const folder = new DevnetFolder(join(temporary, "new"));
  expect(folder.record()).toBeUndefined();
  folder.make();
  expect(folder.record()).toBeUndefined();
  folder.write({ plan: newPlan({ validators: 3 }), basePort: 20_000 });
  expect(folder.record()).toMatchObject({ basePort: 20_000, plan: { validators: 3 } });
});

test("a folder whose first start was killed is new", () => {
  const folder = new DevnetFolder(join(temporary, "killed"));
  folder.make();
  for (const name of ["devnet.json.new", "svc.lock", "svc.lock.0a1b", "svc.lock.0a1b.stale"]) {
    writeFileSync(join(folder.path, name), "");
  }
  expect(folder.record()).toBeUndefined();
});

test("a folder of another version, of something else, or with a damaged record is refused and left as it is", () => {
  const inside = (name: string, file: string, text: string) => {
    mkdirSync(join(temporary, name));
    writeFileSync(join(temporary, name, file), text);
    return new DevnetFolder(join(temporary, name));
  };
  expect(() => inside("later", "devnet.json", '{"format":2}').record()).toThrow(
    /has the network of another version of svc \(format 2, not 1\): continue it with that version, or remove the folder/,
  );
  expect(() => inside("other", "letter.txt", "dear").record()).toThrow(/has files, but not of a devnet/);
  expect(() => inside("damaged", "devnet.json", "{").record()).toThrow(/devnet.json cannot be read: remove /);
});

test("a folder that cannot be made, or whose control socket could not be named, is refused", () => {
  expect(() => new DevnetFolder("/proc/devnet").make()).toThrow(
    "--data-directory /proc/devnet cannot be made (ENOENT)",
  );
  const long = new DevnetFolder(join("/", "x".repeat(110)));
  expect(() => requireSocketPath(long)).toThrow(/must be shorter by 17 bytes/);
});
