/**
 * Proving jobs as prover nodes, brokers and agents exchange them (docs/protocol/13-proving.md#132-json-rpc). `Text` is
 * how a process holds texts that may be long: as strings, or as the bytes of JSON string literals, quotes included.
 */

/** A circuit to prove. */
export interface ProvingJob<Text, Type extends number = number> {
  /** `<epoch>:<name of the type>:<hash of the input>`; any text for a broker. */
  readonly id: string;
  readonly type: Type;
  readonly epochNumber: number;
  /** URI of the input. It may be the input itself. */
  readonly inputsUri: Text;
}

/** What a broker knows of a job. */
export type ProvingJobStatus<Text> =
  | { readonly status: "not-found" | "in-queue" | "in-progress" }
  /** `value` is the URI of the output. */
  | { readonly status: "fulfilled"; readonly value: Text }
  | { readonly status: "rejected"; readonly reason: Text };

/** A job for an agent. */
export interface AssignedProvingJob<Text, Type extends number = number> {
  readonly job: ProvingJob<Text, Type>;
  /** The broker's clock at the assignment, Unix time in ms; the agent returns it with its heartbeats. */
  readonly time: number;
}
