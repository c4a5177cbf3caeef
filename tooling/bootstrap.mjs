// Sets the repository up and runs it: `npm start` and `npm test` come here. Plain JavaScript without dependencies, because it runs first,
// and syntax that Node 16 reads, because it tells an older Node what is needed. What the tools print goes to stderr: stdout is the program's alone.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { readPnpm, textOf } from './bootstrap/pnpm-events.mjs'

const [mode, ...args] = process.argv.slice(2)
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `Wayleave needs Node 20.19 or newer, and this is ${process.versions.node}: install a newer one, such as from https://nodejs.org, then run this again.\n`,
  )
  process.exit(1)
}
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
  if (isStep) endStep('SIGHUP')
  else child?.kill(signal)
}

/** Signals a tool and what it has started, such as the pnpm of npx. */
function endStep(signal) {
  try {
    process.kill(-child.pid, signal)
  } catch {
    // It has ended, or never began.
  }
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
    const streams = [child.stdout, child.stderr].filter(Boolean)
    for (const stream of streams) {
      stream.on('data', (bytes) => {
        output += bytes
        onOutput(String(bytes))
      })
    }
    // Programs that it has started may hold its pipes for ever: what has come a second later is its output.
    child.on('exit', () => setTimeout(() => streams.forEach((stream) => stream.destroy()), 1_000).unref())
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

/** Runs tools in turn until one fails; shows a line while they work, and their output only if one did. `patienceMs`: how long they may be without news. */
async function step(title, commands, { more = {}, patienceMs = Infinity } = {}) {
  const started = performance.now()
  const line = beginLine(title, patienceMs, () => endStep('SIGKILL'))
  isStep = true
  let result
  for (const [command, ...commandArgs] of commands) {
    result = await run(command, commandArgs, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...env, ...more } }, line.hear)
    if (result.code !== 0 || stopped) break
  }
  isStep = false
  line.end(`${result.code === 0 ? '' : 'failed, '}${((performance.now() - started) / 1000).toFixed(1)} s`)
  if (stopped) await exit({ signal: stopped.signal })
  return { ...result, output: textOf(result.output), isSilent: line.isSilent() }
}

/**
 * Begins a line that tells how far a tool is: on a terminal it changes each second, elsewhere it grows from time to time, so that nobody
 * looks at a silent one for long. Calls `giveUp` once when there was no news for `patienceMs`.
 */
function beginLine(title, patienceMs, giveUp) {
  const { isTTY } = process.stderr
  process.stderr.write(`${title}… `)
  const hearPnpm = readPnpm()
  let [reported, news] = ['', '']
  const begunAt = performance.now()
  let newsAt = begunAt
  let isSilent = false
  const show = () => {
    const minutes = Math.floor((performance.now() - begunAt) / 60_000)
    const silentMs = performance.now() - newsAt
    if (silentMs > patienceMs && !isSilent) {
      isSilent = true
      giveUp()
    }
    const isSlow = patienceMs !== Infinity && silentMs > 5_000
    const parts = [news, isSlow && `nothing new for ${Math.round(silentMs / 1_000)} s`]
    const text = [...parts, minutes > 0 && `${minutes} min so far`].filter(Boolean).join(', ')
    if (text === reported) return
    reported = text
    process.stderr.write(isTTY ? `\r\x1b[K${title}… ${text} ` : `${text}… `)
  }
  const timer = setInterval(show, Math.min(isTTY ? 1_000 : 5_000, patienceMs))
  return {
    isSilent: () => isSilent,
    hear(output) {
      const heard = hearPnpm(output)
      if (heard === news) return
      news = heard
      newsAt = performance.now()
    },
    end(text) {
      clearInterval(timer)
      process.stderr.write(isTTY ? `\r\x1b[K${title}… ${text}\n` : `${text}\n`)
    },
  }
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
for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.pnpmfile.cjs', ...folders.toSorted()])
  hash.update(read(file))
const wanted = hash.digest('hex')
const stamp = join(root, 'node_modules/.wayleave-install')
const modules = 'node_modules/.modules.yaml' // pnpm's own record of what is installed
const hasAll = () => /"devDependencies": ?true/.test(read(modules))

const plainly = { CI: 'true', NODE_ENV: '' }
// A network that fails in between is told within seconds; the tools' own waits add up to more than a minute.
const fewRetries = Object.fromEntries(
  Object.entries({ retries: '2', retry_mintimeout: '1000', retry_maxtimeout: '5000' })
    .map(([name, value]) => [`npm_config_fetch_${name}`, value])
    .filter(([name]) => process.env[name] === undefined),
)
const unreachable =
  /\b(E(?:CONNREFUSED|CONNRESET|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|TIMEDOUT)|ERR_SOCKET_TIMEOUT|network timeout)\b/
const ownTimeoutMs = Number(process.env.npm_config_fetch_timeout) || Infinity
const longestAnswerMs = Math.min(8_000, ownTimeoutMs)
/** How long an installation may be without news: in it a slow line brings 5 MB, the most of which nothing is heard, and a slow disk takes Node. */
const patienceMs = Math.min(60_000, ownTimeoutMs)

/**
 * Asks npm's registry, and explains why nothing can be fetched; no `why` where it answers, whatever it says. npm asks, as it knows the settings
 * of registry, proxy and certificates.
 */
async function askRegistry() {
  const ping = ['ping', '--loglevel=notice', '--fetch-retries=0', `--fetch-timeout=${longestAnswerMs}`]
  isStep = true
  const slow = setTimeout(() => process.stderr.write('npm waits for its registry to answer…\n'), 3_000)
  let isLate = false
  const late = setTimeout(() => {
    isLate = true
    endStep('SIGKILL')
  }, longestAnswerMs + 5_000)
  const { code, output } = await run('npm', ping, { stdio: ['ignore', 'pipe', 'pipe'] })
  for (const timer of [slow, late]) clearTimeout(timer)
  isStep = false
  if (stopped) await exit({ signal: stopped.signal })
  const failed = code === 0 ? undefined : unreachable.exec(output)?.[1]
  const why = isLate || /timeout|timedout/i.test(failed) ? `no answer within ${longestAnswerMs / 1_000} s` : failed
  const url = /PING (\S+)/.exec(output)?.[1]
  // Without a user and a password.
  return { why, registry: url !== undefined && URL.canParse(url) ? ` ${new URL(url).origin}` : '' }
}

function explain(registry, why) {
  return `npm cannot reach its registry${registry} (${why}), and not every package is on this machine yet.
Connect to the network, or set npm's "registry" or "proxy", then run this again. Packages that have come are kept.
`
}

/** Explains why a folder in which npm and pnpm keep what they fetch cannot be written; undefined where all can. */
function folderFault() {
  for (const folder of [homedir(), process.env.npm_config_cache || join(homedir(), '.npm')]) {
    try {
      mkdirSync(folder, { recursive: true })
      accessSync(folder, constants.W_OK | constants.X_OK)
    } catch ({ code }) {
      return `The folder ${folder} cannot be written (${code}), and packages are kept there.
Run this as a user with a home folder, or name another one, such as \`HOME=/tmp/wayleave npm start\`.
`
    }
  }
  return undefined
}

async function install(everything) {
  const fault = folderFault()
  if (fault !== undefined) await give({ code: 1, output: fault })
  rmSync(stamp, { force: true })
  // Told so, pnpm adds what is missing; else it would remove all first, under the feet of a running server.
  const record = read(modules)
  if (everything && record) writeFileSync(join(root, modules), record.replace(/("devDependencies": ?)false/, '$1true'))
  const version = /"pnpm@([^+"]+)/.exec(read('package.json'))[1]
  const { registry, why } = await askRegistry()
  const flags = ['--reporter=ndjson', ...(everything ? [] : ['--prod']), ...(why === undefined ? [] : ['--offline'])]
  const pnpm = ['npx', '--yes', `pnpm@${version}`, 'install', '--frozen-lockfile', ...flags]
  const more = { ...(why === undefined ? fewRetries : { npm_config_offline: 'true' }), ...plainly }
  const result = await step('Installing', [pnpm], { more, patienceMs: why === undefined ? patienceMs : Infinity })
  if (result.isSilent)
    await give({ code: 1, output: explain(registry, `it has sent nothing for ${patienceMs / 1_000} s`) })
  if (result.code !== 0) await give(why === undefined ? result : { code: 1, output: explain(registry, why) })
  writeFileSync(stamp, wanted)
}

// Told before anything is installed, out of the source of the command.
if (mode === 'start' && args.some((arg) => arg === '--help' || arg === '-h')) {
  const help = /help: `([^`]*)`/.exec(read('apps/cli/src/commands/dev.ts'))[1]
  process.stdout.write(
    `npm start [-- options]: installs what \`wayleave dev\` needs at the first time, and runs it.\n\n${help}`,
  )
  process.exit()
}

const everything = mode === 'test' || hasAll()
if (read('node_modules/.wayleave-install') !== wanted || (everything && !hasAll())) await install(everything)

// `wayleave dev` runs from its sources, so the page of the console is all that has to be built for it. Tests try what is published, too.
const page = ['node', 'packages/console/build-page.mjs']
const built = await step('Building', mode === 'test' ? [['tsc', '-b'], page] : [page])
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
