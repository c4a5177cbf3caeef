import { fork } from 'node:child_process'
import { createChannel } from '../shared-state/channel.ts'
import { createProcessPort } from '../shared-state/process-port.ts'
import type { StartWorker } from '../shared-state/worker-line.ts'
import { topics } from '../shared-state/topics.ts'
import { sampleProcess } from './silence-watch.ts'

/**
 * Starts a real process. It has a session of its own, so that a Ctrl-C reaches the primary alone; it ends with the primary, whose end
 * closes the channel.
 */
export const startWorkerProcess: StartWorker = (onStalled) => {
  const isSource = import.meta.url.endsWith('.ts')
  const child = fork(new URL(`../worker-main.${isSource ? 'ts' : 'js'}`, import.meta.url), {
    detached: true,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // The default of `fork` leaves out a script of `--eval`, which would start itself without end.
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
    sample: () => (child.pid === undefined ? undefined : sampleProcess(child.pid)),
    kill: () => void child.kill('SIGKILL'),
  }
}
