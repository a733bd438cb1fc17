#!/usr/bin/env node
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `error: svc needs Node.js 22.12 or later, this is ${process.versions.node}. npm start and npm test use the runtime that npm ci installed.\n`,
  );
  process.exit(1);
}

// A reader may leave before the end, as `head` does; what is left to print is then of no use to anybody.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

if (process.argv[2] === "start") {
  // Before the program is loaded, which would enlarge the space for good.
  const { limitYoungHeap } = await import("../process/heap-growth.ts");
  limitYoungHeap();
}

const { program } = await import("./program.ts");
await program().parseAsync();
