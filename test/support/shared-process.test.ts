import { expect, test } from "vitest";
import { sharesProcess } from "./shared-process.ts";

const PLAIN = 'import { expect, test } from "vitest";\ntest("adds", () => expect(1 + 1).toBe(2));';

test.each([
  ["test/protocol/bytes.test.ts", PLAIN, true],
  ["test/rpc/scenarios/http.test.ts", PLAIN, false],
  ["test/l1/blobs/kzg-threads.test.ts", PLAIN, false],
  ["test/protocol/bytes.test.ts", `${PLAIN}\nvi.useFakeTimers();`, false],
  ["test/protocol/bytes.test.ts", `${PLAIN}\nprocess.chdir("/");`, false],
  ["test/protocol/bytes.test.ts", `${PLAIN}\nprocess.cwd();`, true],
  ["test/protocol/bytes.test.ts", `import { Worker } from "node:worker_threads";\n${PLAIN}`, false],
  ["test/protocol/bytes.test.ts", `${PLAIN}\nawait startRecordedL1();`, false],
])(
  "whether %s shares its process: scenarios, long files and those that change their process do not",
  (path, text, shares) => {
    expect(sharesProcess(path, text)).toBe(shares);
  },
);
