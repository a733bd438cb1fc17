#!/usr/bin/env bash
# Runs the tests of RPC with Node.js 24 and its uWebSockets.js in a Debian 13 root: the binary for Node.js 24 needs a
# newer glibc than Debian 12 has. Both are those of the image (deploy/image). Needs root, npm and an installed, built
# project; project and root are left as they are, since the tests write to layers in memory above them.
#
#   scripts/node-24-tests.sh [--root FOLDER] [vitest arguments]
set -euo pipefail

project=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/svc-node-24
root=$cache/root
if [ "${1:-}" = --root ]; then
  root=$(cd "${2:?--root needs a folder}" && pwd)
  shift 2
else
  "$project/scripts/debian-root.sh" "$root"
fi
[ $# -gt 0 ] || set -- test/rpc test/http test/node/scenarios/rpc-threads.test.ts test/node/scenarios/rpc-long-calls.test.ts \
  test/node/scenarios/health.test.ts test/node/scenarios/process.test.ts test/node/scenarios/simulation-attack.test.ts \
  test/node/admin test/node/scenarios/admin-process.test.ts test/conformance/endpoints.test.ts test/conformance/fuzz.test.ts

runtime=$cache/runtime
if ! cmp -s "$project/deploy/image/package-lock.json" "$runtime/package-lock.json"; then
  rm -rf "$runtime"
  mkdir -p "$runtime"
  cp "$project/deploy/image/package.json" "$runtime/"
  cp "$project/deploy/image/package-lock.json" "$runtime/package-lock.json.new"
  mv "$runtime/package-lock.json.new" "$runtime/package-lock.json"
  npm ci --prefix "$runtime" --ignore-scripts --omit=dev || { rm -rf "$runtime"; exit 1; }
fi

export project root runtime
# Mounts and processes of the tests end with the namespaces.
unshare --mount --pid --fork --kill-child bash -s -- "$@" <<'INSIDE'
set -euo pipefail
work=$(mktemp -d)
mount -t tmpfs none "$work"
mkdir -p "$work"/{root,root-upper,root-work,svc-upper,svc-work,extra/node_modules/@btc-vision,extra/node_modules/.bin}
cp -a "$runtime/node_modules/@btc-vision/uwebsockets.js" "$work/extra/node_modules/@btc-vision/"
find "$work/extra" -name 'uws_*' ! -name "uws_linux_$("$runtime"/node_modules/node-linux-*/bin/node -p 'process.arch + "_" + process.versions.modules').node" -delete
ln -s ../node-24/bin/node "$work/extra/node_modules/.bin/node"
mkdir "$work/extra/node_modules/node-24"
cp -a "$runtime"/node_modules/node-linux-*/bin "$work/extra/node_modules/node-24/"
mount -t overlay none -o "lowerdir=$root,upperdir=$work/root-upper,workdir=$work/root-work" "$work/root"
mkdir -p "$work/root"/{svc,proc,dev,tmp}
mount -t overlay none -o "lowerdir=$work/extra:$project,upperdir=$work/svc-upper,workdir=$work/svc-work" "$work/root/svc"
echo "127.0.0.1 localhost" > "$work/root/etc/hosts"
mount -t proc proc "$work/root/proc"
mount --rbind /dev "$work/root/dev"
mount -t tmpfs none "$work/root/tmp"
exec chroot "$work/root" /usr/bin/env -i HOME=/root PATH=/svc/node_modules/.bin:/usr/sbin:/usr/bin:/sbin:/bin \
  CI="${CI:-}" bash -euc 'cd /svc
    . /etc/os-release
    echo "$PRETTY_NAME, $(ldd --version | head -1), Node.js $(node --version)"
    node -e "import(\"/svc/src/rpc/http/uws-library.ts\").then(() => console.log(\"uWebSockets.js loads\"))"
    exec node node_modules/vitest/vitest.mjs run "$@"' svc "$@"
INSIDE
