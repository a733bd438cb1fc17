import { hashTwoNodesIntegers } from "../lanes/integers/sponge";
import { hashTwoNodesLanes } from "../lanes/sponge";
import { JOB } from "../poseidon2/batch";
import { chosenBuild, FUSED_LANES, INTEGER_LANES } from "../poseidon2/build";
import { hashNode, placeOf, startOf } from "./node-rule";

/**
 * Inner nodes from their children, two at a time where the lanes are used.
 *
 *   jobs count x (children u32, out u32)       no result may lie in the children of another job
 */
export function hashNodes(jobs: usize, count: u32, rule: usize): void {
  const end = jobs + <usize>count * JOB;
  const build = chosenBuild();
  const start = startOf(rule);
  const place = placeOf(rule);
  if (build == FUSED_LANES) {
    for (; jobs + JOB < end; jobs += 2 * JOB) {
      hashTwoNodesLanes(load<u32>(jobs, 4), load<u32>(jobs, 12), load<u32>(jobs), load<u32>(jobs, 8), start, place);
    }
  } else if (build == INTEGER_LANES) {
    for (; jobs + JOB < end; jobs += 2 * JOB) {
      hashTwoNodesIntegers(load<u32>(jobs, 4), load<u32>(jobs, 12), load<u32>(jobs), load<u32>(jobs, 8), start, place);
    }
  }
  for (; jobs < end; jobs += JOB) hashNode(load<u32>(jobs, 4), load<u32>(jobs), rule);
}
