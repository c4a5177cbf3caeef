// The entry of a worker process: it serves what its primary process tells it to, and ends with it.
import { ListenError } from '@wayleave/http-server'
import { createLog, type Log } from '@wayleave/telemetry'
import { ConfigError } from './config/check.ts'
import { realSurroundings } from './defaults.ts'
import { startGateway } from './start-gateway.ts'
import type { RunningGateway } from './running-gateway.ts'
import { createChannel } from './shared-state/channel.ts'
import { createProcessPort } from './shared-state/process-port.ts'
import { aliveMs, topics } from './shared-state/topics.ts'
import type { StartFailure, WorkerStart, WorkerStarted } from './cluster/worker-messages.ts'

/** Longest time that calls may take once the worker drains, in ms: the primary's grace ends before. */
const endlessMs = 2 ** 31 - 1

/** As in the proxy: longer than a call's way here, and the pause of a busy caller. */
const lingerMs = 250

let gateway: RunningGateway | undefined
let log: Log | undefined

async function start(first: WorkerStart): Promise<WorkerStarted> {
  const { config, slot, memoryBytes, absentNetworks, logLevel } = first
  log = createLog({ level: logLevel, members: { worker: slot } })
  try {
    gateway = await startGateway(config, {
      absentNetworks,
      log,
      surroundings: { ...realSurroundings, memoryBytes },
      worker: { channel },
      lingerMs,
    })
  } catch (thrown) {
    return { ok: false, failure: failureOf(thrown) }
  }
  showLife()
  return { ok: true }
}

/** Tells the primary that the event loop turns, until the process ends. */
function showLife(): void {
  channel.report(topics.alive)
  realSurroundings.clock.after(aliveMs, showLife)
}

function failureOf(thrown: unknown): StartFailure {
  if (thrown instanceof ConfigError) return { kind: 'config', problems: thrown.problems }
  const { stack, message } = thrown as Error
  return thrown instanceof ListenError ? { kind: 'listen', message } : { kind: 'other', message: stack ?? message }
}

async function end(graceMs: number): Promise<void> {
  await gateway?.close(graceMs)
  await log?.close()
  process.exit()
}

// A terminal, or a service manager, signals all processes; the primary decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
// Whoever reads the log may leave.
process.stderr.on('error', () => {})
const channel = createChannel(createProcessPort(process, { onStalled: () => process.exit(1) }))
channel.onClose(() => process.exit())
channel.serve(topics.start, (first) => start(first as WorkerStart))
channel.serve(topics.release, () => void gateway?.drain())
channel.serve(topics.drain, () => end(endlessMs))
channel.serve(topics.terminate, () => end(0))
channel.report(topics.hello)
