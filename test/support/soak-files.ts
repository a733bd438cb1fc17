/** Whether the text of a test file imports soak.ts. */
export const isSoak = (text: string): boolean => /^import .*"(?:\.\.\/)+support\/soak\.ts";$/m.test(text);
