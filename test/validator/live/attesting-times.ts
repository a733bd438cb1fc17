/** Milliseconds of the steps of an attestation, from the proposal's arrival to the attestation sent. */
const STEPS = ["beforeMs", "checkMs", "signMs", "ms"] as const;

/** Count, median and maximum of each step over all attestations in the log of validators. */
export function attestingTimes(lines: readonly string[]): object {
  const attested = lines.filter((line) => line.includes("attested to checkpoint")).map((line) => JSON.parse(line));
  const of = (step: (typeof STEPS)[number]) => {
    const sorted = attested.map((line) => Number(line[step])).sort((a, b) => a - b);
    return { median: sorted[Math.floor(sorted.length / 2)], max: sorted[sorted.length - 1] };
  };
  return { attestations: attested.length, ...Object.fromEntries(STEPS.map((step) => [step, of(step)])) };
}
