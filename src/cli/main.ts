#!/usr/bin/env node
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `error: svc needs Node.js 22.12 or later, this is ${process.versions.node}. npm start and npm test use the runtime that npm ci installed.\n`,
  );
  process.exit(1);
}

const { program } = await import("./program.ts");
await program().parseAsync();
