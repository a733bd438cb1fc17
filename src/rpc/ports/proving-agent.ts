/** What a proving agent says about itself. */
export type ProvingAgentStatus =
  | { readonly status: "stopped" | "running" }
  | {
      readonly status: "proving";
      readonly job: { readonly id: string; readonly type: number };
      readonly startedAt: Date;
    };

export interface ProvingAgentPort {
  readonly status: ProvingAgentStatus;
}
