import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from './free-port.ts'

const program = 'redis-server'

/** A Redis server of its own, in a temporary folder, on a free port of the loopback interface. It keeps nothing over a restart. */
export interface RedisServer extends AsyncDisposable {
  readonly port: number
  readonly url: string
  /** Ends the server at once, does `meanwhile`, and starts it again, empty, on the same port. */
  restart(meanwhile: () => Promise<void>): Promise<void>
  /** Stops the process, as it is, for as long as `meanwhile` takes. */
  freeze(meanwhile: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

/** Why no server can be started here; undefined where one can. */
export function missingRedis(): string | undefined {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'redis-server was not found'
  }
}

/** `args`: more settings, such as `--requirepass`. */
export async function startRedis(...args: readonly string[]): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'wayleave-redis-'))
  // Redis takes port 0 for none at all. Somebody may take the port between its choice and its use.
  let running = await launch(await freePort()).catch(async () => launch(await freePort()))
  const { port } = running

  async function launch(on: number) {
    const settings = ['--port', String(on), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no']
    // The shell reads until this process closes the pipe, or dies of whatever: so no server outlives its test.
    const guarded = [
      '-c',
      '"$@" <&- & echo $!; read -r _; kill -KILL $!; wait',
      'sh',
      'redis-server',
      ...settings,
      ...args,
    ]
    const child = spawn('/bin/sh', guarded, { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] })
    const exited = once(child, 'exit')
    return { port: on, child, exited, pid: await ready(child) }
  }

  async function halt(): Promise<void> {
    running.child.stdin.end()
    await running.exited
  }

  async function stop(): Promise<void> {
    await halt()
    await rm(folder, { recursive: true, force: true })
  }

  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    async restart(meanwhile) {
      await halt()
      try {
        await meanwhile()
      } finally {
        running = await launch(port)
      }
    },
    async freeze(meanwhile) {
      process.kill(running.pid, 'SIGSTOP')
      try {
        await meanwhile()
      } finally {
        process.kill(running.pid, 'SIGCONT')
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Resolves with the process id. */
async function ready(child: ChildProcess): Promise<number> {
  let pid = 0
  const said: string[] = []
  for await (const line of createInterface({ input: child.stdout! })) {
    said.push(line)
    if (pid === 0) pid = Number(line)
    if (/Failed listening|FATAL/.test(line)) child.stdin!.end()
    if (line.includes('Ready to accept connections')) {
      // Its further output must not fill the pipe.
      child.stdout!.resume()
      return pid
    }
  }
  throw new Error(`redis-server did not start:\n${said.join('\n')}`)
}
