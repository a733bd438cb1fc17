#!/usr/bin/env bash
# Packs this project (scripts/pack.ts), installs the package into an empty folder, and runs a local network from there
# with npx until it answers. Needs a build, and a registry for the dependencies.
set -euo pipefail

project=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
archive=$("$project/node_modules/.bin/node" --disable-warning=ExperimentalWarning "$project/scripts/pack.ts" "$folder")
mkdir "$folder/empty"
cd "$folder/empty"
npm install --ignore-scripts --no-audit --no-fund "$archive"
echo "package: $(stat -c %s "$archive") bytes, installed: $(du -sm node_modules | cut -f1) MiB, node $(node --version)"
npx svc --version

# A process group of its own: npx does not pass the signal on.
set -m
npx svc start --local-network --port 0 --admin-port 0 --local-network.l1Port 0 > "$folder/log" 2>&1 &
network=$!
trap 'kill -- "-$network" 2>/dev/null; wait "$network" 2>/dev/null; rm -rf "$folder"' EXIT
for _ in $(seq 240); do
  url=$(sed -n 's/^ *JSON-RPC *\(http[^ ]*\).*/\1/p' "$folder/log")
  [ -n "$url" ] && break
  kill -0 "$network" || { cat "$folder/log"; exit 1; }
  sleep 0.5
done
grep 'local network is ready' "$folder/log" || { cat "$folder/log"; exit 1; }
NODE_RPC=$url node -e '
  const call = { jsonrpc: "2.0", id: 1, method: "node_getBlockNumber", params: [] };
  const headers = { "content-type": "application/json" };
  fetch(process.env.NODE_RPC, { method: "POST", headers, body: JSON.stringify(call) })
    .then((answer) => answer.json())
    .then((answer) => { console.log(JSON.stringify(answer)); if (!(Number(answer.result) >= 4)) process.exit(1); });'
npx svc status --url "$url"
