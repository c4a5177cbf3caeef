// Sets the repository up and runs it: `npm start` and `npm test` come here. Plain JavaScript without dependencies,
// because it runs first, on any Node from 20. What the tools print goes to stderr: stdout is the program's alone.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

const [mode, ...args] = process.argv.slice(2)
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = join(root, 'node_modules/.bin')
const env = { ...process.env, PATH: bin + delimiter + process.env.PATH }
const read = (file) => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '')

// One child at a time, in a session of its own, so that what a Ctrl-C sends to the terminal's whole group reaches it
// through here alone: once, though npm passes the same signal on again a moment later.
let child
let stopped
// Set while a tool works: compilers take no notice of SIGINT and SIGTERM, and have nothing to end in order.
let isStep = false
function stop(signal) {
  if (stopped?.signal === signal && performance.now() - stopped.at < 500) return
  stopped = { signal, at: performance.now() }
  child?.kill(isStep ? 'SIGHUP' : signal)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal))

// npm was killed: nobody would stop us any more. (When we are killed, the child sees its IPC channel disconnect.)
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(watch)
  stop('SIGTERM')
}, 500).unref()

function run(command, commandArgs, options, onOutput = () => {}) {
  return new Promise((resolve) => {
    let output = ''
    child = spawn(command, commandArgs, { cwd: root, env, detached: true, ...options })
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (bytes) => {
        output += bytes
        onOutput(String(bytes))
      })
    }
    child.on('error', (error) => resolve({ code: 127, output: `${command}: ${error.message}\n` }))
    child.on('close', (code, signal) => resolve({ code, signal, output }))
  })
}

/** Ends as a finished child did: with its exit code, or by its signal. */
function exit({ code, signal }) {
  if (!signal) process.exit(code)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
  setInterval(() => {}, 1000) // until the signal arrives
  return new Promise(() => {})
}

/** Runs tools in turn until one succeeds; shows a line while they work, and their output only if none does. */
async function step(title, attempts, more = {}) {
  const started = performance.now()
  const line = beginLine(title)
  isStep = true
  let failed = { output: '' }
  for (const [command, ...commandArgs] of attempts) {
    const settings = { stdio: ['ignore', 'pipe', 'pipe'], env: { ...env, ...more } }
    const result = await run(command, commandArgs, settings, line.hear)
    failed = { ...result, output: failed.output + result.output }
    if (result.code === 0 || stopped || /ERR_PNPM/.test(result.output)) break
  }
  isStep = false
  line.end(`${failed.code === 0 ? '' : 'failed, '}${((performance.now() - started) / 1000).toFixed(1)} s`)
  if (stopped) await exit({ signal: stopped.signal })
  return failed
}

/**
 * Begins a line that tells how far a tool is: on a terminal it changes each second, elsewhere it grows from time to time, so that nobody
 * looks at a silent one for long.
 */
function beginLine(title) {
  const { isTTY } = process.stderr
  process.stderr.write(`${title}… `)
  let told = ''
  let news = ''
  const show = () => {
    if (news === told) return
    told = news
    process.stderr.write(isTTY ? `\r\x1b[K${title}… ${news} ` : `${news}… `)
  }
  const timer = setInterval(show, isTTY ? 1_000 : 5_000)
  return {
    hear(output) {
      const packages = output.match(/Progress: resolved \d+, reused \d+, downloaded \d+, added \d+/g)?.at(-1)
      if (packages !== undefined) news = countOf(packages)
      if (/Will retry in/.test(output)) news = 'waiting for the network'
    },
    end(text) {
      clearInterval(timer)
      process.stderr.write(isTTY ? `\r\x1b[K${title}… ${text}\n` : `${text}\n`)
    },
  }
}

function countOf(progress) {
  const [resolved, reused, downloaded] = progress.match(/\d+/g).map(Number)
  return `${reused + downloaded} of ${resolved} packages`
}

function give(up) {
  process.stderr.write(up.output)
  return exit(up)
}

// `npm start` needs the root's `dependencies` only, a good third less to fetch; `npm test` needs everything.
const folders = ['packages', 'apps', 'tooling'].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => `${folder}/${name}/package.json`),
)
const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`)
for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', ...folders.toSorted()])
  hash.update(read(file))
const wanted = hash.digest('hex')
const stamp = join(root, 'node_modules/.wayleave-install')
const modules = 'node_modules/.modules.yaml' // pnpm's own record of what is installed
const hasAll = () => /"devDependencies": ?true/.test(read(modules))

const plainly = { CI: 'true', NODE_ENV: '', COREPACK_ENABLE_DOWNLOAD_PROMPT: '0' }
// A network that fails in between is told within seconds; the tools' own waits add up to more than a minute.
const fewRetries = Object.fromEntries(
  Object.entries({ retries: '2', retry_mintimeout: '1000', retry_maxtimeout: '5000' })
    .map(([name, value]) => [`npm_config_fetch_${name}`, value])
    .filter(([name]) => process.env[name] === undefined),
)
const unreachable =
  /\b(E(?:CONNREFUSED|CONNRESET|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|TIMEDOUT)|ERR_SOCKET_TIMEOUT|network timeout)\b/
const longestAnswerMs = Math.min(8_000, Number(process.env.npm_config_fetch_timeout) || 8_000)

/**
 * Explains why nothing can be fetched; undefined where the registry answers, whatever it says. npm asks, as it knows the settings of
 * registry, proxy and certificates.
 */
async function networkFault() {
  const ping = ['ping', '--loglevel=notice', '--fetch-retries=0', `--fetch-timeout=${longestAnswerMs}`]
  isStep = true
  const slow = setTimeout(() => process.stderr.write('npm waits for its registry to answer…\n'), 3_000)
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    child?.kill('SIGKILL')
  }, longestAnswerMs + 5_000)
  const { code, output } = await run('npm', ping, { stdio: ['ignore', 'pipe', 'pipe'] })
  for (const timer of [slow, late]) clearTimeout(timer)
  isStep = false
  if (stopped) await exit({ signal: stopped.signal })
  const failed = code === 0 ? undefined : unreachable.exec(output)?.[1]
  const why = isLate || /timeout|timedout/i.test(failed) ? `no answer within ${longestAnswerMs / 1_000} s` : failed
  if (why === undefined) return undefined
  const url = /PING (\S+)/.exec(output)?.[1]
  // Without a user and a password.
  const registry = url !== undefined && URL.canParse(url) ? ` ${new URL(url).origin}` : ''
  return `npm cannot reach its registry${registry} (${why}), and not every package is on this machine yet.
Connect to the network, or set npm's "registry" or "proxy", then run this again. Packages that have come are kept.
`
}

async function install(everything) {
  rmSync(stamp, { force: true })
  // Told so, pnpm adds what is missing; else it would remove all first, under the feet of a running server.
  const record = read(modules)
  if (everything && record) writeFileSync(join(root, modules), record.replace(/("devDependencies": ?)false/, '$1true'))
  const version = /"pnpm@([^+"]+)/.exec(read('package.json'))[1]
  const pnpm = ['install', '--frozen-lockfile', ...(everything ? [] : ['--prod'])]
  const fault = await networkFault()
  const tools = [
    ['corepack', 'pnpm', ...pnpm],
    ['npx', '--yes', `pnpm@${version}`, ...pnpm],
  ]
  const attempts = fault === undefined ? tools : tools.map(([tool, ...rest]) => [tool, ...rest, '--offline'])
  const settings = fault === undefined ? fewRetries : { COREPACK_ENABLE_NETWORK: '0', npm_config_offline: 'true' }
  const result = await step('Installing', attempts, { ...settings, ...plainly })
  if (result.code !== 0) await give(fault === undefined ? result : { code: 1, output: fault })
  writeFileSync(stamp, wanted)
}

const everything = mode === 'test' || hasAll()
if (read('node_modules/.wayleave-install') !== wanted || (everything && !hasAll())) await install(everything)

// Does nothing in 0.2 s when nothing changed. Types were checked where the code was written: only who has all the tools has them checked again.
const build = () => step('Building', [hasAll() ? ['tsc', '-b'] : ['tsc', '-b', '--noCheck']])
let built = await build()
if (built.code !== 0 && !hasAll()) {
  await install(true)
  built = await build()
}
if (built.code !== 0) await give(built)

const node = existsSync(join(bin, 'node')) ? join(bin, 'node') : process.execPath
if (node === process.execPath && Number(process.versions.node.split('.')[0]) < 24) {
  const here = `${process.platform}-${process.arch}`
  await give({
    code: 1,
    output: `Wayleave needs Node 24 or newer; this is ${process.version}, and npm has none for ${here}.\n`,
  })
}
// Vitest does not watch its IPC channel; this does it for it. The wayleave command drains by itself on a disconnect.
const orphan = 'data:text/javascript,process.once("disconnect",()=>process.exit(1));process.channel?.unref()'
const program = {
  start: ['apps/cli/bin/wayleave.js', 'dev'],
  test: ['--import', orphan, 'node_modules/vitest/vitest.mjs', 'run'],
}[mode]
await exit(await run(node, [...program, ...args], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] }))
