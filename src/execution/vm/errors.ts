/**
 * A debug log that makes its transaction invalid while debug logs are collected
 * (docs/protocol/06-public-execution.md#620-debug-logs).
 */
export class DebugLogError extends Error {
  readonly rule: string;
  constructor(rule: string) {
    super(`debug log: ${rule}`);
    this.name = "DebugLogError";
    this.rule = rule;
  }
}

/**
 * A run needed more memory than the VM may use, so it has no result. The gas of real transactions does not suffice for
 * this.
 */
export class VmMemoryError extends Error {
  readonly limitBytes: number;
  constructor(limitBytes: number) {
    super(`the run needs more than the VM's ${limitBytes} bytes of memory`);
    this.name = "VmMemoryError";
    this.limitBytes = limitBytes;
  }
}

/** A run did not end before its deadline. */
export class VmDeadlineError extends Error {
  readonly deadline: number;
  constructor(deadline: number) {
    super(`the run did not end by its deadline, ${new Date(deadline).toISOString()}`);
    this.name = "VmDeadlineError";
    this.deadline = deadline;
  }
}

/** A run was interrupted by its caller. */
export class VmInterruptedError extends Error {
  constructor() {
    super("the run was interrupted");
    this.name = "VmInterruptedError";
  }
}

/** A request that breaks a rule of its type, or a run inside a run. */
export class VmRequestError extends Error {
  readonly field: string;
  constructor(field: string, rule: string) {
    super(`${field} ${rule}`);
    this.name = "VmRequestError";
    this.field = field;
  }
}
