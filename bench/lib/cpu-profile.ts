import { basename } from "node:path";

/** The parts of the output of `node --cpu-prof` that are used here: a call tree, and the node of each sample. */
export interface CpuProfile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: number[];
  }[];
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

/** A function as called from one place, with the time of everything below it. */
export interface Frame {
  name: string;
  selfUs: number;
  totalUs: number;
  children: Frame[];
}

/**
 * Functions left out with everything that they call: waiting of the event loop and of pool threads, time that the
 * profiler cannot attribute, loading of code, and the setup between the rounds of hot-paths.ts.
 */
const LEFT_OUT = /^(\(idle\)|\(program\)|(atomicsWaitLoop|getModuleJobForImport|notMeasured) .*)$/;

export type WasmNames = ReadonlyMap<number, string>;

function nameOf({ functionName, url, lineNumber }: CpuProfile["nodes"][number]["callFrame"], wasm: WasmNames): string {
  const name = functionName === "" ? "(anonymous)" : functionName;
  if (url.startsWith("wasm:")) {
    const number = /^wasm-function\[(\d+)\]$/.exec(name)?.[1];
    return `${wasm.get(Number(number)) ?? name} [wasm]`;
  }
  return url === "" ? name : `${name} ${basename(url)}:${lineNumber + 1}`;
}

/** Calls of the same function by the same caller become one frame; largest first. */
function merged(frames: Frame[]): Frame[] {
  const byName = new Map<string, Frame>();
  for (const frame of frames) {
    const known = byName.get(frame.name);
    if (known === undefined) byName.set(frame.name, frame);
    else {
      known.selfUs += frame.selfUs;
      known.totalUs += frame.totalUs;
      known.children.push(...frame.children);
    }
  }
  return [...byName.values()]
    .map((frame) => ({ ...frame, children: merged(frame.children) }))
    .toSorted((a, b) => b.totalUs - a.totalUs);
}

/** Call tree of a profile, under one root. `wasm` maps function numbers of the core to names. */
export function frameTree(profile: CpuProfile, name: string, wasm: WasmNames = new Map()): Frame {
  const self = new Map<number, number>();
  for (const [i, id] of profile.samples.entries())
    self.set(id, (self.get(id) ?? 0) + Math.max(0, profile.timeDeltas[i]));
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const build = (id: number): Frame => {
    const node = nodes.get(id);
    if (node === undefined) throw new RangeError(`node ${id} of the profile is missing`);
    const children = (node.children ?? [])
      .map(build)
      .filter((child) => child.totalUs > 0 && !LEFT_OUT.test(child.name));
    const selfUs = self.get(id) ?? 0;
    const totalUs = selfUs + children.reduce((sum, child) => sum + child.totalUs, 0);
    return { name: nameOf(node.callFrame, wasm), selfUs, totalUs, children };
  };
  const root = build(profile.nodes[0].id);
  return { ...root, name, children: merged(root.children) };
}

/** The frames of several threads under one root. */
export function joined(name: string, frames: Frame[]): Frame {
  const totalUs = frames.reduce((sum, frame) => sum + frame.totalUs, 0);
  return { name, selfUs: 0, totalUs, children: frames };
}

export interface SelfTime {
  name: string;
  selfUs: number;
  share: number;
}

/** Functions with the largest self time, in descending order. */
export function topFunctions(root: Frame, count: number): SelfTime[] {
  const byName = new Map<string, number>();
  const add = (frame: Frame): void => {
    byName.set(frame.name, (byName.get(frame.name) ?? 0) + frame.selfUs);
    for (const child of frame.children) add(child);
  };
  for (const child of root.children) add(child);
  return [...byName]
    .map(([name, selfUs]) => ({ name, selfUs, share: selfUs / root.totalUs }))
    .toSorted((a, b) => b.selfUs - a.selfUs)
    .slice(0, count);
}
