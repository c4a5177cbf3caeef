import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startStandIn } from '../reload/node.ts'
import { freePorts } from '../two-nodes/nodes/free-ports.ts'
import { startCalls, startSockets, untilOpen } from './load.ts'
import { startBalancer } from './nginx.ts'
import { createReplica } from './replica.ts'

export interface RunOptions {
  /** Calls a second over HTTP. */
  readonly rate: number
  readonly sockets: number
  /** How long the balancer goes on sending after `SIGTERM`, in ms. */
  readonly sendMs: number
  /** `shutdown.delayMs` of the replicas. */
  readonly delayMs: number
  readonly report: (line: string) => void
}

export interface Figures {
  readonly calls: number
  readonly leftOut: number
  readonly failed: number
  /** The first failures, in words. */
  readonly failures: readonly string[]
  /** How often sockets were closed, by code. */
  readonly closes: Readonly<Record<string, number>>
  readonly socketFailures: readonly string[]
  readonly heads: number
  /** Heads that were left out, or came twice. */
  readonly gaps: number
  readonly restarts: readonly Restart[]
}

/** The restart of one replica. */
interface Restart {
  readonly name: string
  /** The status of `/readyz` right after `SIGTERM`. */
  readonly readiness: number
  /** How long the balancer was left to send after `SIGTERM`, in ms: longer than asked for where the machine is busy. */
  readonly sentMs: number
  /** The answers that it gave after `SIGTERM`. */
  readonly answersAfter: number
  readonly exitCode: number | null
  /** From `SIGTERM` to its end, in ms. */
  readonly tookMs: number
}

const key = '2b0de5002b0de5002b0de5002b0de500'

/** Restarts two replicas behind nginx, one after the other, under load. */
export async function run({ rate, sockets, sendMs, delayMs, report }: RunOptions): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-rolling-'))
  report(`logs and configurations: ${folder}`)
  await using node = await startStandIn()
  const ports = await freePorts(2)
  const config = {
    networks: { main: { kind: 'evm', chainId: 1, upstreams: [{ name: 'own', url: node.url, ws: node.ws }] } },
    projects: [{ name: 'rig', keys: [{ key }] }],
    shutdown: { delayMs },
  }
  await using opened = new AsyncDisposableStack()
  const replicas = await Promise.all(ports.map((port, i) => createReplica(`replica-${i + 1}`, port, config, folder)))
  for (const replica of replicas) opened.use(replica)
  await Promise.all(replicas.map((replica) => replica.start()))
  const balancer = opened.use(await startBalancer(folder, ports))
  const blocks = setInterval(() => node.addBlock(), 1_000)
  opened.defer(() => clearInterval(blocks))
  const reported = await startSockets(`${balancer.ws}/ws/v3/${key}`, sockets)
  opened.defer(() => reported.end())
  report(`${sockets} sockets are open`)
  const load = startCalls(`${balancer.url}/v3/${key}`, rate)
  opened.defer(() => load.end())
  const restarts: Restart[] = []
  for (const replica of replicas) {
    await sleep(1_000)
    const before = (await balancer.answers()).get(replica.port) ?? 0
    const beganAt = performance.now()
    const stopped = replica.stop()
    await sleep(200)
    const readiness = await replica.readiness()
    await sleep(Math.max(0, sendMs - 200))
    const after = (await balancer.answers()).get(replica.port) ?? 0
    await balancer.sendTo(ports.filter((port) => port !== replica.port))
    const sentMs = Math.round(performance.now() - beganAt)
    const exitCode = await stopped
    const tookMs = Math.round(performance.now() - beganAt)
    restarts.push({ name: replica.name, readiness, sentMs, answersAfter: after - before, exitCode, tookMs })
    report(
      `${replica.name}: exit ${exitCode} after ${tookMs} ms; ${load.calls()} calls, ${load.failures.length} failed`,
    )
    await replica.start()
    await balancer.sendTo(ports)
    await untilOpen(reported, sockets)
  }
  await sleep(1_000)
  await load.end()
  const figures: Figures = {
    calls: load.calls(),
    leftOut: load.leftOut(),
    failed: load.failures.length,
    failures: load.failures.slice(0, 10),
    closes: Object.fromEntries(reported.closes),
    socketFailures: reported.failures.slice(0, 10),
    heads: reported.heads(),
    gaps: reported.gaps(),
    restarts,
  }
  await opened.disposeAsync()
  if (load.failures.length === 0) await rm(folder, { recursive: true, force: true })
  return figures
}
