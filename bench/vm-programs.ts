import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { fromHex } from "../src/protocol/bytes.ts";
import type { VmRules } from "../src/protocol/generations/execution.ts";

/** A contract of a program; addresses and class ids are labels. */
export interface BenchContract {
  readonly address: number;
  readonly classId: number;
  /** Hex. */
  readonly bytecode: string;
  readonly deployer: string;
  readonly initHash: string;
}

/** The calls of one transaction. */
export interface BenchProgram {
  readonly name: string;
  /** L2 gas for all calls. */
  readonly gas: number;
  readonly contracts: readonly BenchContract[];
  readonly calls: readonly { address: number; sender: string; calldata: readonly string[] }[];
}

const FF = 0;
const U1 = 1;
const U32 = 4;
const U64 = 5;
const MAIN = 0x1001;

const u16 = (value: number): number[] => [value >> 8, value & 0xff];
const u32 = (value: number): number[] => [...u16(value >>> 16), ...u16(value & 0xffff)];
const set = (dst: number, tag: number, value: number): number[] => [41, 0, ...u16(dst), tag, ...u32(value)];
const setField = (dst: number, hex: string): number[] => [44, 0, ...u16(dst), FF, ...fromHex(hex.padStart(64, "0"))];
const binary = (opcode: number, a: number, b: number, dst: number, mode = 0): number[] => [opcode, mode, a, b, dst];
const [ADD, MUL, FDIV, LT, XOR, SHR] = [0, 4, 8, 12, 20, 26];
const LOOPS = 0xffffffff;
/** Gas of public calls that the network's limit of a transaction leaves. */
const TX_GAS = 6_000_000;

/** `head`, then `body` until the gas is used up or `times` is reached. Cells 1 to 4 are used by the loop. */
function loop(head: number[], body: number[], times = LOOPS): string {
  const start = [...set(1, U32, 0), ...set(2, U32, 1), ...set(3, U32, times), ...head];
  const count = [...binary(ADD, 1, 2, 1), ...binary(LT, 1, 3, 4), 36, 0, ...u16(4), ...u32(start.length)];
  const end = [...set(5, U32, 0), 59, 0, ...u16(5), ...u16(5)];
  return Buffer.from([...start, ...body, ...count, ...end]).toString("hex");
}

function single(name: string, gas: number, bytecode: string): BenchProgram {
  const contract = { address: MAIN, classId: 0xc1001, bytecode, deployer: "0x0", initHash: "0x0" };
  return { name, gas, contracts: [contract], calls: [{ address: MAIN, sender: "0x5e4d", calldata: [] }] };
}

const EMPTY = Buffer.from([...set(5, U32, 0), 59, 0, ...u16(5), ...u16(5)]).toString("hex");
const CALLEE = 0x1002;

function withCallee(program: BenchProgram): BenchProgram {
  const callee = { address: CALLEE, classId: 0xc1002, bytecode: EMPTY, deployer: "0x0", initHash: "0x0" };
  return { ...program, contracts: [...program.contracts, callee] };
}

const FIELD = "2a1b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809";
/** y of the curve's generator; x is 1. */
const GRUMPKIN_Y = "0000000000000002cf135e7506a45d632d270d45f1181294833fc48d823f272c";
/** Mode in which every operand is relative to the base, as in compiled code. */
const RELATIVE = 0x2a;

const COMPILED = "../test/fixtures/vectors/avm.json.gz";

interface Vectors {
  readonly bytecodes: Record<string, string>;
  readonly txCases: readonly {
    readonly name: string;
    readonly contracts: readonly {
      address: string;
      classId: string;
      bytecode: string | { ref: string };
      deployer?: string;
      initHash?: string;
    }[];
    readonly tx: { readonly app?: readonly { address: string; sender?: string; calldata?: string[] }[] };
  }[];
}

/** The calls of a recorded transaction, with `more` inserted after the first two. */
function recorded(vectors: Vectors, name: string, title: string, gas: number, more: string[][] = []): BenchProgram {
  const given = vectors.txCases.find((entry) => entry.name === name);
  if (given?.tx.app === undefined) throw new Error(`no recorded transaction ${name}`);
  const address = Number(given.contracts[0].address);
  const calls = given.tx.app.map(({ sender = "0x5e4d", calldata = [], address }) => ({
    address: Number(address),
    sender,
    calldata,
  }));
  const added = more.map((calldata) => ({ address, sender: calldata[1], calldata }));
  return {
    name: title,
    gas,
    contracts: given.contracts.map((contract) => ({
      address: Number(contract.address),
      classId: Number(contract.classId),
      bytecode: typeof contract.bytecode === "string" ? contract.bytecode : vectors.bytecodes[contract.bytecode.ref],
      deployer: contract.deployer ?? "0x0",
      initHash: contract.initHash ?? "0x0",
    })),
    calls: more.length > 0 ? [...calls.slice(0, 2), ...added] : calls,
  };
}

const transfer = ["0x8c9e5472", "0x6f", "0xde", "0x1", "0x0"];
const TRANSFERS = 24;

/** Adds the generator to itself: the result and one operand are of the same cells. */
function additions(pointCells: VmRules["pointCells"]): string {
  const [point, other] = [10, 13];
  const coordinates = (at: number) => [...set(at, FF, 1), ...setField(at + 1, GRUMPKIN_Y), ...set(at + 2, U1, 0)];
  const cells = (at: number) => Array.from({ length: pointCells }, (_, i) => at + i);
  const operands = [...cells(other), ...cells(point), other];
  return loop([...coordinates(point), ...coordinates(other)], [66, 0, 0, ...operands.flatMap(u16)]);
}

const EFFECTS = 60;
const READS = 1000;

/** All programs. The first is empty and shows the fixed cost of a transaction. */
export function benchPrograms({ pointCells }: VmRules): BenchProgram[] {
  const vectors = JSON.parse(gunzipSync(readFileSync(new URL(COMPILED, import.meta.url))).toString("utf8")) as Vectors;
  const copies = Array.from({ length: 8 }, (_, i) => [46, 0x05, ...u16(10), ...u16(11 + (i % 2))]).flat();
  return [
    single("empty", 1_000_000, EMPTY),
    single(
      "field loop",
      TX_GAS,
      loop(
        [...setField(10, FIELD), ...setField(11, FIELD.slice(2)), ...set(12, FF, 7)],
        [
          ...binary(MUL, 10, 11, 10),
          ...binary(ADD, 10, 12, 10),
          ...binary(MUL, 10, 10, 13),
          ...binary(ADD, 13, 11, 10),
        ],
      ),
    ),
    single(
      "u64 loop",
      TX_GAS,
      loop(
        [...set(10, U64, 0x12345), ...set(11, U64, 0x9e3779b1), ...set(12, U64, 7)],
        [
          ...binary(MUL, 10, 11, 10),
          ...binary(ADD, 10, 11, 10),
          ...binary(SHR, 10, 12, 13),
          ...binary(XOR, 10, 13, 10),
        ],
      ),
    ),
    single(
      "relative u32 loop",
      TX_GAS,
      loop(
        [...set(0, U32, 20), ...set(30, U32, 0x12345), ...set(31, U32, 0x9e3779b1), ...set(32, U32, 7)],
        [
          ...binary(MUL, 10, 11, 10, RELATIVE),
          ...binary(ADD, 10, 11, 10, RELATIVE),
          ...binary(SHR, 10, 12, 13, RELATIVE),
          ...binary(ADD, 10, 13, 10, RELATIVE),
        ],
      ),
    ),
    single(
      "memory copy",
      TX_GAS,
      loop(
        [...set(10, U32, 1000), ...set(11, U32, 40_000), ...set(12, U32, 90_000)],
        [...copies, ...binary(ADD, 10, 2, 10), ...binary(ADD, 11, 2, 11), ...binary(ADD, 12, 2, 12)],
      ),
    ),
    single(
      "Poseidon2 loop",
      TX_GAS,
      loop([...setField(10, FIELD)], [63, 0, ...u16(10), ...u16(11), 63, 0, ...u16(11), ...u16(10)]),
    ),
    single(
      "FDIV loop",
      TX_GAS,
      loop([...setField(10, FIELD), ...setField(11, FIELD.slice(2))], [...binary(FDIV, 10, 11, 10)]),
    ),
    single("ECADD loop", TX_GAS, additions(pointCells)),
    single(
      "TORADIXBE loop",
      TX_GAS,
      loop(
        [...setField(10, FIELD), ...set(11, U32, 2), ...set(12, U32, 254), ...set(13, U1, 1)],
        [67, 0, 0, ...[10, 11, 12, 13, 20].flatMap(u16)],
      ),
    ),
    single(
      "SHA-256 loop",
      TX_GAS,
      loop(Array.from({ length: 24 }, (_, i) => set(20 + i, U32, i * 0x01234567)).flat(), [
        64,
        0,
        ...[20, 20, 28].flatMap(u16),
      ]),
    ),
    single(
      "Keccak loop",
      TX_GAS,
      loop(Array.from({ length: 25 }, (_, i) => set(20 + i, U64, i * 0x01234567)).flat(), [
        65,
        0,
        ...[20, 20].flatMap(u16),
      ]),
    ),
    withCallee(
      single(
        "nested call loop",
        TX_GAS,
        loop(
          [...set(9, U32, 0), ...set(8, U32, 100_000), ...set(7, U32, 0), ...set(13, FF, CALLEE)],
          [57, ...u16(0), ...[8, 9, 13, 7, 0].flatMap(u16)],
        ),
      ),
    ),
    single(
      "storage loop",
      TX_GAS,
      loop(
        [...set(10, FF, 5), ...set(11, FF, 1), [30, 0, ...u16(13), 0]].flat(),
        [
          [47, 0, ...u16(10), ...u16(13), ...u16(14)],
          [47, 0, ...u16(11), ...u16(13), ...u16(15)],
          binary(ADD, 14, 11, 14),
          [48, 0, ...u16(14), ...u16(10)],
        ].flat(),
        160,
      ),
    ),
    single(
      `reads of ${READS} slots`,
      TX_GAS,
      loop(
        [...set(10, FF, 5), ...set(11, FF, 1), 30, 0, ...u16(13), 0],
        [47, 0, ...u16(10), ...u16(13), ...u16(14), ...binary(ADD, 10, 11, 10)],
        READS,
      ),
    ),
    single(
      `writes of ${EFFECTS} slots`,
      TX_GAS,
      loop(
        [...set(10, FF, 5), ...set(11, FF, 1)],
        [48, 0, ...u16(10), ...u16(10), ...binary(ADD, 10, 11, 10)],
        EFFECTS,
      ),
    ),
    single(
      `${EFFECTS} nullifiers, ${EFFECTS} note hashes`,
      TX_GAS,
      loop(
        [...set(10, FF, 5), ...set(11, FF, 1)],
        [52, 0, ...u16(10), 50, 0, ...u16(10), ...binary(ADD, 10, 11, 10)],
        EFFECTS,
      ),
    ),
    recorded(vectors, "AvmGadgetsTest.sha256_hash_255", "compiled: sha256 of 255 bytes", TX_GAS),
    recorded(vectors, "AvmGadgetsTest.keccak_hash_1400", "compiled: keccak of 1400 bytes", TX_GAS),
    recorded(vectors, "AvmTest.n_storage_writes", "compiled: 62 storage writes", TX_GAS),
    recorded(
      vectors,
      "Token: constructor, mint_to_public, transfer_in_public, burn_public, balance",
      `compiled: Token, ${TRANSFERS} transfers`,
      TX_GAS,
      Array.from({ length: TRANSFERS }, () => transfer),
    ),
  ];
}
