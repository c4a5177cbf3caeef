import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createWriteStream } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A `wayleave-proxy` in a process of its own. */
export interface Proxy extends AsyncDisposable {
  readonly rpc: string
  readonly ws: string
  readonly admin: string
  /** Has the configuration read again by `SIGHUP`. */
  hangUp(): void
  /** Collects what is garbage, and tells what is left. Rejects where there is no answer within 20 s. */
  memory(): Promise<Memory>
}

/** The memory of a process, in bytes. */
export interface Memory {
  /** Reachable after a collection: V8's heap and buffers outside it. */
  readonly held: number
  /** Resident pages, of which V8 keeps some that hold nothing. */
  readonly resident: number
}

const memoryProbe = new URL('memory-probe.ts', import.meta.url).href
const program = fileURLToPath(new URL('../../../apps/proxy/src/main.ts', import.meta.url))

/** Starts it from source. Its log goes to `logFile`. */
export async function startProxy(configFile: string, logFile: string): Promise<Proxy> {
  const flags = ['--conditions=@wayleave/source', '--expose-gc', `--import=${memoryProbe}`]
  const child = spawn(process.execPath, [...flags, program, configFile, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  child.stderr.pipe(createWriteStream(logFile))
  const lines = createInterface(child.stdout)
  const first = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => undefined)])
  if (first === undefined) throw new Error(`the proxy did not start: see ${logFile}`)
  const { rpc, ws, admin } = JSON.parse(String(first[0])) as { rpc: string; ws: string; admin: string }
  return {
    rpc,
    ws,
    admin,
    hangUp: () => void child.kill('SIGHUP'),
    async memory() {
      const reported = once(lines, 'line', { signal: AbortSignal.timeout(20_000) })
      child.kill('SIGUSR2')
      return JSON.parse(String((await reported)[0])) as Memory
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', end)
      const exited = child.exitCode === null ? once(child, 'exit') : undefined
      child.kill('SIGKILL')
      await exited
    },
  }
}
