import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startStandIn } from '../reload/node.ts'
import { startCalls, startSockets, untilOpen } from '../rolling/load.ts'
import { freePorts } from '../two-nodes/nodes/free-ports.ts'
import { startKept } from './kept-process.ts'

export interface RunOptions {
  /** Calls a second over HTTP, each on a connection of its own. */
  readonly rate: number
  readonly sockets: number
  readonly restarts: number
  /** Whether the process listens itself, for comparison. */
  readonly isBare: boolean
  readonly report: (line: string) => void
}

export interface Figures {
  readonly calls: number
  readonly leftOut: number
  readonly failed: number
  /** Calls whose connection was refused. */
  readonly refused: number
  /** The first failures, in words. */
  readonly failures: readonly string[]
  /** How often sockets were closed, by code. */
  readonly closes: Readonly<Record<string, number>>
  readonly socketFailures: readonly string[]
  readonly heads: number
  readonly gaps: number
  /** From each `SIGTERM` until the next process was ready, in ms. */
  readonly awayMs: readonly number[]
}

const key = '2b0de5002b0de5002b0de5002b0de500'

/** Restarts one process under load. */
export async function run({ rate, sockets, restarts, isBare, report }: RunOptions): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-kept-'))
  report(`logs and configuration: ${folder}`)
  await using node = await startStandIn()
  const [port] = (await freePorts(1)) as [number]
  const config = {
    listen: { rpc: `127.0.0.1:${port}`, admin: '127.0.0.1:0' },
    networks: { main: { kind: 'evm', chainId: 1, upstreams: [{ name: 'own', url: node.url, ws: node.ws }] } },
    projects: [{ name: 'rig', keys: [{ key }] }],
  }
  await using opened = new AsyncDisposableStack()
  const kept = opened.use(await startKept(port, config, folder, isBare))
  const blocks = setInterval(() => node.addBlock(), 250)
  opened.defer(() => clearInterval(blocks))
  const reported = await startSockets(`ws://127.0.0.1:${port}/ws/v3/${key}`, sockets)
  opened.defer(() => reported.end())
  report(`${sockets} sockets are open`)
  const load = startCalls(`http://127.0.0.1:${port}/v3/${key}`, rate)
  opened.defer(() => load.end())
  const awayMs: number[] = []
  for (let i = 0; i < restarts; i++) {
    await sleep(3_000)
    awayMs.push(await kept.restart())
    await untilOpen(reported, sockets)
    report(`restarted in ${awayMs.at(-1)} ms; ${load.calls()} calls, ${load.failures.length} failed`)
  }
  await sleep(3_000)
  await load.end()
  const figures: Figures = {
    calls: load.calls(),
    leftOut: load.leftOut(),
    failed: load.failures.length,
    refused: load.failures.filter((why) => why.includes('ECONNREFUSED')).length,
    failures: load.failures.slice(0, 10),
    closes: Object.fromEntries(reported.closes),
    socketFailures: reported.failures.slice(0, 10),
    heads: reported.heads(),
    gaps: reported.gaps(),
    awayMs,
  }
  await opened.disposeAsync()
  if (load.failures.length === 0) await rm(folder, { recursive: true, force: true })
  return figures
}
