/** For parts whose duties a test does not measure. */
export const UNMEASURED = { done: () => {}, missed: () => {} };
