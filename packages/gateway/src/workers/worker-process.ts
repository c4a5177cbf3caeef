import { fork } from 'node:child_process'
import { type Channel, createChannel } from './channel.ts'
import { createProcessPort } from './process-port.ts'
import { topics } from './topics.ts'

/** The process of a worker. */
export interface WorkerProcess {
  readonly pid: number | undefined
  readonly channel: Channel
  /** Resolves when it runs, and waits for its start. */
  readonly ready: Promise<void>
  /** Resolves when it has ended, with the reason in words. */
  readonly ended: Promise<string>
  /** Ends it at once. */
  kill(): void
}

/** Starts the process of a worker. `onStalled`: it does not read what it is told. */
export type StartWorker = (onStalled: () => void) => WorkerProcess

/**
 * Starts a real process. It has a session of its own, so that a Ctrl-C reaches the primary alone; it ends with the primary, whose end
 * closes the channel.
 */
export const startWorkerProcess: StartWorker = (onStalled) => {
  const isSource = import.meta.url.endsWith('.ts')
  const child = fork(new URL(`./worker-main.${isSource ? 'ts' : 'js'}`, import.meta.url), {
    detached: true,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Its default leaves out a script of `--eval`, which would start itself without end.
    ...(isSource && { execArgv: [...process.execArgv, '--conditions=@wayleave/source'] }),
  })
  const ended = new Promise<string>((resolve) => {
    child.once('error', (err) => resolve(`it could not be started: ${err.message}`))
    child.once('exit', (code, signal) => resolve(signal === null ? `it ended with code ${code}` : `${signal} ended it`))
  })
  const channel = createChannel(createProcessPort(child, { onStalled }))
  return {
    pid: child.pid,
    channel,
    ready: new Promise((resolve) => channel.serve(topics.hello, () => resolve())),
    ended,
    kill: () => void child.kill('SIGKILL'),
  }
}
