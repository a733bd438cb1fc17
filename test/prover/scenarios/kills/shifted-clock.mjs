/**
 * Preloaded into a process: shifts its clock by the milliseconds of TEST_CLOCK_SHIFT_MS, so that it agrees with an L1
 * that was recorded at another time.
 */
const shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS);
const now = Date.now;
Date.now = () => now() + shiftMs;
