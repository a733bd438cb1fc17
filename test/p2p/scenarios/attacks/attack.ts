import type { SubjectFacts } from "./target.ts";

/** What hostile peers did and what became of it. */
export interface AttackCounts {
  /** Units that were sent: messages, frames, requests, connections. */
  sent: number;
  /** Connections, streams or requests that the subject refused or ended, or that it never let through. */
  refused: number;
}

export interface AttackStage {
  target: SubjectFacts;
  counts: AttackCounts;
  /** Aborts when the attack ends. */
  signal: AbortSignal;
}

/** Peers of one kind that attack a node until the stage ends. */
export interface Attack {
  readonly name: string;
  run(stage: AttackStage): Promise<void>;
}
