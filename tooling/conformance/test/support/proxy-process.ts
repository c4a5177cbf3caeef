import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileCache } from './compile-cache.ts'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../../vitest.bundle.ts'

const { proxy: main } = await bundlePrograms()

export interface ProxyProcess extends AsyncDisposable {
  readonly pid: number
  readonly rpc: string
  readonly ws: string
  readonly admin: string
  /** All that it wrote to both of its outputs. */
  readonly written: () => string
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>
  /** Ends it by SIGKILL, and resolves when it is gone. */
  crash(): Promise<void>
}

interface Started {
  readonly pid: number
  readonly written: () => string
  readonly firstLine: Promise<string>
  readonly exited: Promise<number | null>
  readonly kill: (signal?: NodeJS.Signals) => void
}

async function start(
  name: string,
  config: string,
  env: Readonly<Record<string, string>>,
  more: readonly string[] = [],
): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
  await writeFile(join(folder, name), config)
  const args = ['--conditions=@wayleave/source', main, join(folder, name), '--json', ...more]
  const child = spawn(process.execPath, args, { env: { ...compileCache, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let written = ''
  let out = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written += text))
  const firstLine = new Promise<string>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      written += text
      out += text
      if (out.includes('\n')) resolve(out.slice(0, out.indexOf('\n')))
    })
  })
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  void exited.then(() => rm(folder, { recursive: true, force: true }))
  return { pid: child.pid!, written: () => written, firstLine, exited, kill: (signal) => void child.kill(signal) }
}

/** A gateway as a process of its own, with its configuration in a file. `options`: further ones of its command line. */
export async function startProxy(
  config: object,
  env: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<ProxyProcess> {
  const { pid, written, firstLine, exited, kill } = await start('wayleave.json', JSON.stringify(config), env, options)
  const line = await Promise.race([firstLine, exited.then(() => '')])
  if (line === '') throw new Error(`the proxy ended before it was ready:\n${written()}`)
  const { rpc, ws, admin } = JSON.parse(line) as { rpc: string; ws: string; admin: string }
  const stop = (): Promise<number | null> => {
    kill()
    return exited
  }
  return {
    pid,
    rpc,
    ws,
    admin,
    written,
    stop,
    async crash() {
      kill('SIGKILL')
      await exited
    },
    async [Symbol.asyncDispose]() {
      // As a terminal does: nobody waits for shutdown.delayMs.
      kill('SIGINT')
      await exited
    },
  }
}

/** What the process says of a configuration that it cannot use. */
export async function refuseConfig(
  name: string,
  config: string,
): Promise<{ readonly code: number | null; readonly written: string }> {
  const { written, firstLine, exited, kill } = await start(name, config, {})
  // A configuration that was taken after all.
  void firstLine.then(() => kill())
  const code = await exited
  return { code, written: written() }
}
