// Measures how long full blocks under `verify` hold a gateway's event loop: `node tooling/bench/src/verify-delay.ts --help`.
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'
import { createLog, realSurroundings, startGateway } from '@wayleave/gateway'
import { systemClock } from './defaults.ts'
import { describeMachine } from './machine.ts'
import { percentile } from './statistics.ts'
import { printTable } from './table.ts'
import type { DelayLoad, DelayOrder, DelayWork } from './verify-delay-peer.ts'
import { readOptions, runProgram, text, wholeOf } from './program.ts'

const usage = `node tooling/bench/src/verify-delay.ts [options]

  --transactions N    in the block (300)
  --seconds N         of each run (10)
`
/** Most milliseconds that the event loop may be late, at the 99th percentile. */
const mostDelayMs = 20
const key = '5a1c0de75a1c0de75a1c0de75a1c0de7'

interface Setting {
  readonly name: string
  readonly work: DelayWork
  readonly hasThread: boolean
}
const settings: readonly Setting[] = [
  { name: 'no blocks', work: 'none', hasThread: true },
  { name: 'blocks, verified on a thread', work: 'blocks', hasThread: true },
  { name: 'blocks, verified on the event loop', work: 'blocks', hasThread: false },
  { name: 'blocks of subscriptions, two a second', work: 'subscriptions', hasThread: true },
  { name: 'logs of 320 blocks, in segments', work: 'logs', hasThread: true },
]

interface Run extends DelayLoad {
  readonly p99Ms: number
  readonly maxMs: number
  /** CPU time of the event loop's thread between two millisecond ticks, which other programs do not change. */
  readonly turnP99Ms: number
  readonly turnMaxMs: number
}

/** Samples the CPU time that this thread takes between two ticks, in ms. */
function watchTurns(): () => readonly number[] {
  const turns: number[] = []
  let last = cpuMs()
  let stop = systemClock.after(1, tick)
  function tick(): void {
    const now = cpuMs()
    turns.push(now - last)
    last = now
    stop = systemClock.after(1, tick)
  }
  return () => {
    stop()
    return turns
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** A network of one node that counts as three, so that it can be proven. */
function networkOf(url: string, followHeads: boolean) {
  const upstreams = [1, 2, 3].map((i) => ({ name: `node-${i}`, url, probe: false }))
  return { kind: 'evm', chainId: 1, upstreams, verify: 'proven', followHeads, gas: false } as const
}

async function run(peer: Worker, nodeUrl: string, { work, hasThread }: Setting, seconds: number): Promise<Run> {
  const { startThread: _, ...inline } = realSurroundings
  const gateway = await startGateway(
    {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      projects: [{ name: 'bench', keys: [{ key }] }],
      networks: {
        net: networkOf(nodeUrl, false),
        subscriptions: networkOf(`${nodeUrl}/subscriptions`, true),
        logs: networkOf(`${nodeUrl}/logs`, true),
      },
      // Each answer is verified.
      cache: false,
    },
    { log: createLog({ level: 'silent' }), surroundings: hasThread ? realSurroundings : inline },
  )
  const ask = async (order: Pick<DelayOrder, 'seconds' | 'work'>): Promise<DelayLoad> => {
    const network = order.work === 'subscriptions' || order.work === 'logs' ? order.work : 'net'
    const at = { http: `${gateway.rpc}/${network}/v3/${key}`, ws: `${gateway.ws}/${network}/ws/v3/${key}` }
    peer.postMessage({ ...at, ...order } satisfies DelayOrder)
    const [done] = (await once(peer, 'message')) as [DelayLoad]
    return done
  }
  try {
    // Code is compiled, and the thread started.
    await ask({ seconds: 3, work })
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const turnsOf = watchTurns()
    const load = await ask({ seconds, work })
    delay.disable()
    const turns = turnsOf()
    return {
      ...load,
      p99Ms: delay.percentile(99) / 1e6,
      maxMs: delay.max / 1e6,
      turnP99Ms: percentile(turns, 99),
      turnMaxMs: percentile(turns, 100),
    }
  } finally {
    await gateway.close(0)
  }
}

async function main(args: readonly string[]): Promise<number> {
  const values = readOptions(args, { transactions: text('300'), seconds: text('10') })
  const transactions = wholeOf('transactions', values.transactions, 1)
  const seconds = wholeOf('seconds', values.seconds, 1)
  const peer = new Worker(new URL('./verify-delay-peer.ts', import.meta.url), { workerData: { transactions } })
  const [nodeUrl] = (await once(peer, 'message')) as [string]
  const rows: string[][] = []
  let isMet = true
  let isCalm = true
  for (const setting of settings) {
    const { blocks, failed, small, p99Ms, maxMs, turnP99Ms, turnMaxMs } = await run(peer, nodeUrl, setting, seconds)
    rows.push([
      setting.name,
      `${blocks}`,
      ...[p99Ms, maxMs, turnP99Ms, turnMaxMs, percentile(small, 50), percentile(small, 99)].map((ms) => ms.toFixed(1)),
      `${failed}`,
    ])
    if (setting.work === 'none') isCalm = p99Ms <= mostDelayMs
    else if (setting.hasThread) isMet &&= p99Ms <= mostDelayMs && blocks > 0 && failed === 0
  }
  await peer.terminate()
  const verdict = isMet
    ? 'met'
    : isCalm
      ? 'not met'
      : 'not to be told here, as other programs make it late without any block'
  const head = [
    '',
    'blocks',
    'loop late, p99 ms',
    'most ms',
    'turn, p99 CPU ms',
    'most CPU ms',
    'small calls, p50 ms',
    'p99 ms',
    'failed',
  ]
  const date = systemClock.date().toISOString().slice(0, 10)
  process.stdout.write(
    `# Blocks of ${transactions} transactions under verify (of a range of logs a tenth as long), ${date}\n\n` +
      `${describeMachine()
        .filter(([name]) => name !== 'nginx')
        .map(([name, value]) => `- ${name}: ${value}`)
        .join('\n')}\n\n${printTable(head, rows)}\n\n` +
      `Bar: on a thread, the event loop is at most ${mostDelayMs} ms late at the 99th percentile: ${verdict}\n`,
  )
  return isMet ? 0 : 1
}

await runProgram(usage, main)
