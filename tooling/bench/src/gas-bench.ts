import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { printBasic } from '@wayleave/auth'
import type { BenchClock } from './defaults.ts'
import { openGasLoad } from './gas-load.ts'
import { startGasNode } from './gas-node.ts'
import { cpuNanos, machineNanos, processTree } from './process-usage.ts'
import { median, pairedRatios, rotate, summarise, type Summary } from './statistics.ts'
import { startCommand, startNode } from './subjects/child.ts'

export interface GasBenchOptions {
  readonly rounds: number
  /** How long each measurement takes, in seconds. */
  readonly seconds: number
  readonly connections: number
  readonly clock: BenchClock
  /** Called with a line about each step. */
  readonly progress: (line: string) => void
}

/** The cost of one way to ask, over that of the bare handler for the same bytes. */
interface GasResult {
  readonly name: string
  /** Microseconds of CPU a request; the median of the rounds. */
  readonly cpuMicros: number
  /** To the bare handler's of the same round. */
  readonly ratio: Summary
}

export interface GasBench {
  readonly results: readonly GasResult[]
  /** The greatest share of the machine that anybody else took in a measurement. */
  readonly foreignPercent: number
}

interface Subject {
  readonly name: string
  readonly pid: number
  readonly port: number
  readonly request: string
  /** The subject that its ratio is to: the bare handler, asked with the same bytes. */
  readonly base: number
  readonly cpu: number[]
}

const cli = fileURLToPath(new URL('../../../apps/cli/', import.meta.url))
const key = '00112233445566778899aabbccddeeff'
const secret = 'ffeeddccbbaa99887766554433221100'
const endpoint = '/networks/1/suggestedGasFees'

/** Why it cannot be measured; undefined where it can. */
export function whyNoGasBench(): string | undefined {
  return existsSync(join(cli, 'dist/main.js')) ? undefined : 'apps/cli is not built'
}

/**
 * Measures `suggestedGasFees`, served from memory by `wayleave serve`, in both forms of its path, against a bare node:http
 * handler that answers the same head and body; in interleaved rounds. @throws BenchError on a wrong answer
 */
export async function runGasBench({
  rounds,
  seconds,
  connections,
  clock,
  progress,
}: GasBenchOptions): Promise<GasBench> {
  await using stack = new AsyncDisposableStack()
  const node = stack.use(await startGasNode())
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-bench-gas-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const config = join(folder, 'config.json')
  await writeFile(config, JSON.stringify(describeConfig(node.url)))
  const args = [join(cli, 'dist/main.js'), 'serve', '--config', config, '--json']
  const { child, value: url } = await startCommand<string>(clock, process.execPath, args, (started, resolve) => {
    createInterface(started.stdout!).on('line', (line) => resolve((JSON.parse(line) as { rpc: string }).rpc))
  })
  stack.use(child)
  const answer = await fetch(`${url}/v3/${key}${endpoint}`)
  const body = await answer.text()
  // The bare handler's node:http adds these headers by itself.
  const headers = [...answer.headers].filter(([name]) => !/^(?:connection|keep-alive|date)$/.test(name)).flat()
  const file = new URL('gas-bare-process.ts', import.meta.url)
  const bare = await startNode(clock, file, [JSON.stringify({ headers, body })])
  stack.use(bare.child)

  const port = Number(new URL(url).port)
  const credentials = `authorization: ${printBasic(key, secret)}\r\n`
  const byKey = print(`/v3/${key}${endpoint}`)
  const byBasic = print(endpoint, credentials)
  const bareAt = { pid: bare.child.pid, port: bare.port }
  const gatewayAt = { pid: child.pid, port }
  const subjects: readonly Subject[] = [
    { name: 'bare handler, key in the path', ...bareAt, request: byKey, base: 0, cpu: [] },
    { name: 'bare handler, HTTP Basic', ...bareAt, request: byBasic, base: 1, cpu: [] },
    { name: 'gateway, key in the path', ...gatewayAt, request: byKey, base: 0, cpu: [] },
    { name: 'gateway, HTTP Basic', ...gatewayAt, request: byBasic, base: 1, cpu: [] },
  ]
  let foreignPercent = 0
  const measure = async (subject: Subject, ms: number): Promise<number> => {
    const measured = await measureOnce(subject, Buffer.from(body), connections, clock, ms)
    foreignPercent = Math.max(foreignPercent, measured.foreignPercent)
    return measured.micros
  }
  for (const subject of subjects) await measure(subject, Math.min(2_000, 2_000 * seconds))
  foreignPercent = 0
  for (let round = 0; round < rounds; round++) {
    for (const subject of rotate(subjects, round)) subject.cpu.push(await measure(subject, 1_000 * seconds))
    progress(`round ${round + 1}/${rounds}: ${subjects.map(({ cpu }) => cpu.at(-1)!.toFixed(2)).join(', ')} µs`)
  }
  const results = subjects.map(({ name, cpu, base }) => ({
    name,
    cpuMicros: median(cpu),
    ratio: summarise(pairedRatios(cpu, subjects[base]!.cpu)),
  }))
  return { results, foreignPercent }
}

async function measureOnce(
  { name, pid, port, request }: Subject,
  body: Buffer,
  connections: number,
  clock: BenchClock,
  ms: number,
): Promise<{ readonly micros: number; readonly foreignPercent: number }> {
  const load = await openGasLoad({ subject: name, port, request, body, connections, clock })
  try {
    await load.closedLoop(ms / 5)
    const pids = processTree(pid)
    const children = processTree(process.pid).slice(1)
    const ownNanos = (): bigint => cpuNanos(children) + BigInt(Math.round(clock.cpu() * 1e6))
    const before = { at: clock.now(), machine: machineNanos(), own: ownNanos(), subject: cpuNanos(pids) }
    const { calls } = await load.closedLoop(ms)
    const micros = Number(cpuNanos(pids) - before.subject) / 1_000 / calls
    const foreign = Number(machineNanos() - before.machine - (ownNanos() - before.own))
    const available = (clock.now() - before.at) * 1e6 * availableParallelism()
    return { micros, foreignPercent: Math.max(0, (100 * foreign) / available) }
  } finally {
    load.close()
  }
}

/** Prints the request of a wallet. */
function print(path: string, further = ''): string {
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\n${further}\r\n`
}

function describeConfig(url: string): object {
  return {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { bench: { kind: 'evm', chainId: 1, upstreams: [url], gas: { blocksOnDemand: true } } },
    projects: [{ name: 'bench', keys: [{ key, secret }] }],
  }
}
