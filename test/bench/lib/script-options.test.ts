import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  flagOption,
  namesOption,
  requiredOption,
  scriptOptions,
  textOption,
  wholeOption,
} from "../../../bench/lib/script-options.ts";

const options = {
  directory: requiredOption("a store", "DIR"),
  repeats: wholeOption("rounds", 5),
  minutes: wholeOption("of load"),
  threads: wholeOption("threads that hash", 2, 0),
  only: namesOption("paths", ["hashes", "blocks"]),
  json: textOption("figures", "FILE"),
  quick: flagOption("small sizes"),
};

class Exit extends Error {}

/** The options, or the output and the exit code if the process ends. */
function run(...args: string[]): unknown {
  let printed = "";
  const print = (text: string | Uint8Array): boolean => {
    printed += text;
    return true;
  };
  vi.spyOn(process.stdout, "write").mockImplementation(print);
  vi.spyOn(process.stderr, "write").mockImplementation(print);
  try {
    return scriptOptions("bench/some.ts", options, args);
  } catch (error) {
    if (error instanceof Exit) return { code: Number(error.message), printed };
    throw error;
  }
}

beforeEach(() => {
  vi.spyOn(process, "exit").mockImplementation((code) => {
    throw new Exit(String(code));
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

test("script options have defaults", () => {
  expect(run("--directory", "d")).toEqual({
    ...{ directory: "d", repeats: 5, minutes: undefined, threads: 2, json: undefined, quick: false },
    only: ["hashes", "blocks"],
  });
});

test("script options are read from the arguments", () => {
  const numbers = ["--repeats", "7", "--minutes=3", "--threads", "0"];
  expect(run("--directory", "d", ...numbers, "--only", "blocks", "--json", "f", "--quick")).toEqual({
    ...{ directory: "d", repeats: 7, minutes: 3, threads: 0, json: "f", quick: true },
    only: ["blocks"],
  });
});

test.each([
  [["--repeats", "0"], '--repeats must be a whole number of at least 1, got "0"'],
  [["--repeats", "1e3"], '--repeats must be a whole number of at least 1, got "1e3"'],
  [["--threads", "-1"], "Option '--threads' argument is ambiguous."],
  [["--only", "hashes,trees"], '--only must be some of hashes,blocks, got "hashes,trees"'],
  [["--speed", "1"], "Unknown option '--speed'"],
  [["50000"], "Unexpected argument '50000'."],
])("a script refuses the arguments %j", (args, message) => {
  const { code, printed } = run("--directory", "d", ...args) as { code: number; printed: string };
  expect(code).toBe(2);
  expect(printed).toContain(`error: ${message}`);
  expect(printed).toContain("usage: node bench/some.ts [options]\n  --directory DIR");
});

test("a script asks for a missing required option", () => {
  expect(run()).toMatchObject({ code: 2, printed: expect.stringContaining("error: --directory is required\n") });
});

test("a script's help lists its options", () => {
  const { code, printed } = run("--help", "--repeats", "0") as { code: number; printed: string };
  expect(code).toBe(0);
  expect(printed).toContain("--repeats N      rounds (5)\n");
  expect(printed).toContain("--only NAMES     paths (hashes,blocks)\n");
  expect(printed).toContain("--quick          small sizes\n");
});
