/** A panel of a dashboard. */
export interface Panel {
  title: string;
  /** One sentence, shown beside the title. */
  meaning: string;
  kind: "lines" | "number";
  /** As Grafana names units, such as s, bytes, reqps. */
  unit: string;
  /**
   * PromQL by the text of its legend, in which {{label}} is a label's value. `$of` stands for the matcher of the chosen
   * nodes.
   */
  queries: Readonly<Record<string, string>>;
  /** Which nodes have the series, where not all do. */
  needs?: "peers" | "validator" | "rpc calls" | "transactions";
}

export interface Dashboard {
  /** Name of the file and id in URLs. */
  id: string;
  title: string;
  rows: Readonly<Record<string, readonly Panel[]>>;
}

type Rest = Omit<Panel, "title" | "kind">;

export const lines = (title: string, rest: Rest): Panel => ({ title, kind: "lines", ...rest });
export const number = (title: string, rest: Rest): Panel => ({ title, kind: "number", ...rest });
