#!/usr/bin/env node
// Plain JavaScript that any Node from 20 runs: it starts the command here, or on a Node 24 that npm installed beside it.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const self = realpathSync(fileURLToPath(import.meta.url))
const isNew = (version) => Number(/^v(\d+)/.exec(version)?.[1]) >= 24

function findNode() {
  for (let folder = dirname(self); folder !== dirname(folder); folder = dirname(folder)) {
    const node = join(folder, 'node_modules/.bin/node')
    if (existsSync(node) && isNew(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout)) return node
  }
  return undefined
}

/**
 * The child has a session of its own, so that a Ctrl-C reaches it once, through here; it drains if we vanish. A watchdog of ours is fed by it,
 * as it alone can tell whether it serves, and sockets that were passed to us are its.
 */
function runOn(node) {
  const env = { ...process.env }
  const isOurs = (name) => env[name] === String(process.pid)
  const sockets = isOurs('LISTEN_PID') ? Array.from({ length: Number(env.LISTEN_FDS) }, (_, i) => 3 + i) : []
  for (const name of ['WATCHDOG_PID', 'LISTEN_PID'].filter(isOurs)) delete env[name]
  const child = spawn(node, [self, ...process.argv.slice(2)], {
    env,
    detached: true,
    stdio: ['inherit', 'inherit', 'inherit', ...sockets, 'ipc'],
  })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    for (const each of signals) process.removeAllListeners(each)
    if (signal) process.kill(process.pid, signal)
    else process.exit(code)
  })
}

/** A checkout runs its sources: nothing has to be built, and nothing can be older than them. A tsconfig.json is not published. */
const isCheckout = existsSync(new URL('../tsconfig.json', import.meta.url))
const main = new URL(isCheckout ? '../src/main.ts' : '../dist/main.js', import.meta.url)
const fail = (message) => {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

/** Has Node find the sources of the packages in place of what they are built to, and keep what it makes of them. */
async function useSources() {
  const { enableCompileCache, registerHooks } = await import('node:module')
  enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/wayleave-compiled', import.meta.url)))
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, '@wayleave/source'] }),
  })
}

if (isNew(process.version)) {
  if (isCheckout) await useSources()
  await import(main.href)
} else {
  const node = findNode()
  if (node) runOn(node)
  else fail(`wayleave needs Node 24 or newer; this is ${process.version}`)
}
