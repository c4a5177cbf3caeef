import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../vitest.bundle.ts'

/** A `wayleave-proxy` in a process of its own, which comes back at the same address. */
export interface Replica extends AsyncDisposable {
  readonly name: string
  readonly port: number
  /** Starts it; resolves when it is ready. */
  start(): Promise<void>
  /** Sends `SIGTERM`; resolves with the exit code when it is gone. */
  stop(): Promise<number | null>
  /** The status of `/readyz`; 0 where nothing answers. */
  readiness(): Promise<number>
}

const { proxy: program } = await bundlePrograms()

/** Writes the configuration; `listen.rpc` is `port` of the loopback interface. */
export async function createReplica(name: string, port: number, config: object, folder: string): Promise<Replica> {
  const configFile = join(folder, `${name}.json`)
  const listen = { rpc: `127.0.0.1:${port}`, admin: '127.0.0.1:0' }
  await writeFile(configFile, JSON.stringify({ ...config, listen }))
  let child: ChildProcess | undefined
  const end = (): void => void child?.kill('SIGKILL')
  process.once('exit', end)
  return {
    name,
    port,
    async start() {
      const started = spawn(process.execPath, ['--conditions=@wayleave/source', program, configFile, '--json'], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = started
      started.stderr.pipe(createWriteStream(join(folder, `${name}.log`), { flags: 'a' }))
      const ready = once(createInterface(started.stdout), 'line')
      const first = await Promise.race([ready, once(started, 'exit').then(() => undefined)])
      if (first === undefined) throw new Error(`${name} did not start: see ${folder}`)
    },
    async stop() {
      const exited = once(child!, 'exit') as Promise<[number | null]>
      child!.kill('SIGTERM')
      const [code] = await exited
      return code
    },
    async readiness() {
      try {
        return (await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5_000) })).status
      } catch {
        return 0
      }
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', end)
      if (child === undefined || child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}
