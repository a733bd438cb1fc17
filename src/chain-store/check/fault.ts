import { toHex } from "../../protocol/bytes.ts";

/** A row that is not what it has to be. */
export interface Fault {
  table: string;
  /** 0x text, a number, or "-" where the fault is of no one row. */
  key: string;
  /** What does not hold, in one clause. */
  rule: string;
}

/** What a part of the check reports to. */
export interface CheckReport {
  fault(fault: Fault): void;
  /** A part of the check begins; `total` steps are expected. */
  stage(name: string, total: number): void;
  step(count?: number): void;
}

/** Checks one row; what reading it throws is its fault. */
export function checkRow(
  report: CheckReport,
  table: string,
  key: Uint8Array | number,
  check: () => string | undefined,
): void {
  let rule: string | undefined;
  try {
    rule = check();
  } catch (error) {
    rule = `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (rule !== undefined) report.fault({ table, key: typeof key === "number" ? String(key) : toHex(key), rule });
}

/** Runs a part of the check; an error that ends it, such as one of LMDB's, is a fault of the table. */
export function checkPart(report: CheckReport, table: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    report.fault({ table, key: "-", rule: error instanceof Error ? error.message : String(error) });
  }
}
