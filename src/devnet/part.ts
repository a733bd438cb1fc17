/** `running`: started, whether or not it answers yet. */
export type PartState = "starting" | "running" | "stopped" | "killed" | "ended";

/** A process of a network that can be stopped, killed and started by itself. */
export interface Part {
  readonly state: PartState;
  /** Exit code or signal of a process that ended by itself. */
  readonly endedWith: string | undefined;
  /** Undefined while it does not run. */
  readonly pid: number | undefined;
  /** Resolves once the process was started. Rejects with an OperatorError. */
  start(): Promise<void>;
  /** Ends it in order. Resolves once it has ended. */
  stop(): Promise<void>;
  /** Ends it at once, as a crash does. Rejects with a DevnetError if that is not possible. */
  kill(): Promise<void>;
}
