import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { BenchClock } from '../defaults.ts'
import { BenchError } from '../error.ts'

/** A process that the bench started. */
export interface Child extends AsyncDisposable {
  readonly pid: number
  readonly process: ChildProcess
  /** Ends it: SIGTERM, SIGKILL after 5 s. */
  close(): Promise<void>
}

const patienceMs = 5_000
const startMs = 20_000

/** Runs a TypeScript file of this package in its own Node and waits for its first message, `{ port }`. */
export async function startNode(
  clock: BenchClock,
  file: URL,
  args: readonly string[] = [],
): Promise<{ readonly child: Child; readonly port: number }> {
  const process = fork(file, args, { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  const { child, value } = await startChild(clock, process, (resolve) => process.once('message', resolve))
  return { child, port: (value as { port: number }).port }
}

/** Runs `command` and waits until `ready` resolves. @throws BenchError `subject` if it ends first, or takes 20 s. */
export function startCommand<T>(
  clock: BenchClock,
  command: string,
  args: readonly string[],
  ready: (process: ChildProcess, resolve: (value: T) => void) => void,
): Promise<{ readonly child: Child; readonly value: T }> {
  const process = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  return startChild<T>(clock, process, (resolve) => ready(process, resolve))
}

async function startChild<T>(
  clock: BenchClock,
  spawned: ChildProcess,
  ready: (resolve: (value: T) => void) => void,
): Promise<{ readonly child: Child; readonly value: T }> {
  const child = toChild(clock, spawned)
  let said = ''
  spawned.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000)
  })
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const failed = (why: string): void => reject(new BenchError('subject', `${spawned.spawnfile} ${why}: ${said.trim()}`))
  const stop = clock.after(startMs, () => failed(`was not ready after ${startMs} ms`))
  spawned.once('error', (error) => failed(error.message))
  spawned.once('exit', (code, signal) => failed(`ended with ${code ?? signal} before it was ready`))
  ready(resolve)
  try {
    return { child, value: await promise }
  } catch (error) {
    await child.close()
    throw error
  } finally {
    stop()
  }
}

function toChild(clock: BenchClock, spawned: ChildProcess): Child {
  const terminate = (): void => {
    spawned.kill('SIGTERM')
  }
  const ended = (): boolean => spawned.pid === undefined || spawned.exitCode !== null || spawned.signalCode !== null
  // A bench that is broken off leaves nothing running; SIGKILL would leave nginx's worker.
  process.once('exit', terminate)
  const close = async (): Promise<void> => {
    if (!ended()) {
      const stop = clock.after(patienceMs, () => spawned.kill('SIGKILL'))
      const exit = once(spawned, 'exit')
      terminate()
      await exit
      stop()
    }
    process.off('exit', terminate)
  }
  return { pid: spawned.pid ?? 0, process: spawned, close, [Symbol.asyncDispose]: close }
}
