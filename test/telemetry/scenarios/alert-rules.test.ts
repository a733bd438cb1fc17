import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..", "..");
const rules = readFileSync(join(root, "deploy/prometheus/alerts.yml"), "utf8");
const tests = readFileSync(join(import.meta.dirname, "alerts.yml"), "utf8");
const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);

test("Prometheus takes the configuration and the rules", () => {
  execFileSync("promtool", ["check", "config", join(root, "deploy/prometheus/prometheus.yml")], { stdio: "pipe" });
});

test("each alert fires on its condition, and not before its window", () => {
  execFileSync("promtool", ["test", "rules", join(import.meta.dirname, "alerts.yml")], { stdio: "pipe" });
  const tested = new Set([...tests.matchAll(/alertname: (\w+)\n {8}exp_alerts/g)].map(([, name]) => name));
  expect([...tested].sort()).toEqual([...new Set(names)].sort());
});

test("docs/monitoring.md says what to do about each alert", () => {
  const document = readFileSync(join(root, "docs/monitoring.md"), "utf8");
  expect(names.filter((name) => !document.includes(`| \`${name}\` |`))).toEqual([]);
});
