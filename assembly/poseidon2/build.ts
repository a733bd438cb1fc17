/**
 * How hashes are computed. The fused lanes (lanes/) take batches two at a time and spread a single hash over both
 * lanes; the integer lanes (lanes/integers/) take batches and leave single hashes to scalar code.
 */
export const SCALAR: u32 = 0;
export const INTEGER_LANES: u32 = 1;
export const FUSED_LANES: u32 = 2;

const CHOSEN = memory.data(4, 4);

export function chooseBuild(build: u32): void {
  store<u32>(CHOSEN, build);
}

@inline
export function chosenBuild(): u32 {
  return load<u32>(CHOSEN);
}
