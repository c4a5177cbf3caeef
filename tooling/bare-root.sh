#!/usr/bin/env bash
# Proves the two commands on a bare Debian with only Node 20 and npm: how long `npm start` takes to answer, cold and warm,
# and whether `npm test` passes. Needs root, debootstrap, and the network; takes some minutes.
#   sudo tooling/bare-root.sh [--test]
set -euo pipefail
repository=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
root=$(mktemp -d)
trap 'umount "$root/proc" "$root/dev" 2>/dev/null; rm -rf --one-file-system "$root"' EXIT

debootstrap --variant=minbase --include=ca-certificates bookworm "$root" >/dev/null
node=$(readlink -f "$(command -v node)")
modules=$(dirname "$node")/../lib/node_modules
install -D "$node" "$root/usr/bin/node"
mkdir -p "$root/usr/lib/node_modules"
cp -a "$modules/npm" "$root/usr/lib/node_modules/"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/bin/npx"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
[[ -f ~/.npmrc ]] && cp ~/.npmrc "$root/srv/"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
git clone -q "$repository" "$root/srv/wayleave"

inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/srv NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
    chroot "$root" bash -c "cd /srv/wayleave && $1"
}

cat >"$root/srv/answer.mjs" <<'JS'
// Runs `npm start`, and prints how long it took until eth_chainId was answered.
import { spawn } from 'node:child_process'
const started = performance.now()
const npm = spawn('npm', ['start', '--', '--json', '--port', '19545', '--ipfs-port', '0', '--admin-port', '0'], {
  stdio: ['ignore', 'ignore', 'inherit'],
})
const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const url = 'http://127.0.0.1:19545/v3/0123456789abcdef0123456789abcdef'
for (;;) {
  const answer = await fetch(url, { method: 'POST', body }).then((reply) => reply.text(), () => undefined)
  if (answer === '{"jsonrpc":"2.0","id":1,"result":"0x7a69"}') break
  if (answer !== undefined || npm.exitCode !== null) throw new Error(`no answer, but: ${answer ?? npm.exitCode}`)
  await new Promise((resolve) => setTimeout(resolve, 20))
}
console.log(`${process.argv[2]}: answered after ${((performance.now() - started) / 1000).toFixed(1)} s`)
npm.kill('SIGTERM')
npm.on('exit', (code) => process.exit(code ?? 1))
JS
inside 'node --version'
inside 'node ../answer.mjs cold'
inside 'node ../answer.mjs warm'
[[ ${1-} != --test ]] || inside 'npm test'
