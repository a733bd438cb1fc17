import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runSvc } from "../../world/cli/run-svc.ts";

/** Adds the U8 values 5 and 7 into cell 3 and returns it; then a byte that is not an opcode. */
const ADDITION = "2700010205" + "2700020207" + "0000010203" + "2700040401" + "3b0000040003" + "ff";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-vm-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("svc vm disassembles hex, files of hex and files of bytes", async () => {
  const hexFile = join(folder, "hex");
  const byteFile = join(folder, "bytes");
  writeFileSync(hexFile, `0x${ADDITION}\n`);
  writeFileSync(byteFile, Buffer.from(ADDITION, "hex"));
  const expected = [
    "0\tSET_8 dst=[1] tag=U8 value=5",
    "5\tSET_8 dst=[2] tag=U8 value=7",
    "10\tADD_8 a=[1] b=[2] dst=[3]",
    "15\tSET_8 dst=[4] tag=U32 value=1",
    "20\tRETURN size=[4] data=[3]",
    "26\t.byte 0xff (no opcode)",
  ];
  for (const code of [ADDITION, hexFile, byteFile]) {
    const { code: exit, stdout } = await runSvc(["vm", "disassemble", code]);
    expect([exit, stdout.trimEnd().split("\n")]).toEqual([0, expected]);
  }
});

test("svc vm run --trace shows gas, operands and memory writes", async () => {
  const { code, stdout } = await runSvc(["vm", "run", "--trace", "--gas", "1000,7", ADDITION]);
  expect(code).toBe(0);
  expect(stdout.split("\n")).toEqual([
    "1 pc 0 gas 1000,7 SET_8 dst=[1] tag=U8 value=5",
    "      [1] = U8 0x5",
    "1 pc 5 gas 973,7 SET_8 dst=[2] tag=U8 value=7",
    "      [2] = U8 0x7",
    "1 pc 10 gas 946,7 ADD_8 a=[1] b=[2] dst=[3]",
    "      [3] = U8 0xc",
    "1 pc 15 gas 934,7 SET_8 dst=[4] tag=U32 value=1",
    "      [4] = U32 0x1",
    "1 pc 20 gas 907,7 RETURN size=[4] data=[3]",
    "returned at pc 20",
    "gas used: L2 102, DA 0",
    "output, 1 fields: 0xc",
    "",
  ]);
});

test("svc vm run says why a program halts", async () => {
  const { code, stdout } = await runSvc(["vm", "run", "ff"]);
  expect(code).toBe(0);
  expect(stdout).toContain("halted at pc 0: Instruction fetching error at pc 0: Opcode 255 (0xff)");
});

test("svc vm run passes calldata to the program", async () => {
  // Copies 2 fields of calldata to cell 5 and returns them.
  const code = "2700010402" + "2700020400" + "1f00000100020005" + "3b0000010005";
  const { stdout } = await runSvc(["vm", "run", code, "--calldata", "0x10, 17"]);
  expect(stdout).toContain("output, 2 fields: 0x10, 0x11");
});

test.each([
  [["vm", "run", "abc"], "CODE must be hex of whole bytes or a file that can be read; abc: ENOENT"],
  [["vm", "disassemble", "."], "CODE must be hex of whole bytes or a file that can be read; .: EISDIR"],
  [["vm", "run", "00", "--gas", "1,2,3"], '--gas must be L2 or L2,DA, whole numbers below 2^32; got "1,2,3"'],
  [["vm", "run", "00", "--gas", "4294967296"], '--gas must be L2 or L2,DA, whole numbers below 2^32; got "4294967296"'],
  [["vm", "run", "00", "--calldata", "1,x"], '--calldata item 1 must be a number, decimal or 0x hex; got "x"'],
  [
    ["vm", "run", "00", "--sender", `0x${"f".repeat(64)}`],
    `--sender must be below the field's modulus; got 0x${"f".repeat(64)}`,
  ],
])("svc %j is refused", async (args, message) => {
  const { code, stderr, stdout } = await runSvc(args);
  expect(code).toBe(1);
  expect(stdout).toBe("");
  expect(stderr).toBe(`error: ${message}\n`);
});
