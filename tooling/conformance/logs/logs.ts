import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { request as open } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { JsonRpcProvider } from 'ethers'
import { createPublicClient, http } from 'viem'
import { out, readOptions, runProgram, report, text, wholeOf } from '@wayleave/bench/program'
import { steady } from '../src/steady.ts'
import { provideGeth } from '../two-nodes/nodes/geth-programs.ts'
import { lengthOf } from './chain.ts'

/* Measures a long `eth_getLogs` through a gateway. Exits with 0 if the bars hold, 1 if one does not, 2 on wrong use. */

const usage = `pnpm --filter @wayleave/conformance logs [--blocks 100000] [--geth FOLDER]

  --blocks   the blocks of the long call, some 10 kB each
  --geth     the folder where go-ethereum's ethclient is built once and kept, where Go is installed (<temporary folder>/wayleave-geth)
`
const nodeProcess = fileURLToPath(new URL('node-process.ts', import.meta.url))
const gatewayProcess = fileURLToPath(new URL('gateway-process.ts', import.meta.url))
const key = 'a'.repeat(32)
const first = 1_000
const bars = { memoryMb: 64, firstByteMs: 1_000, slowdown: 3 }
const hex = (number: number): string => `0x${number.toString(16)}`

interface Memory {
  readonly rss: number
  readonly peak: number
  readonly cpuMs: number
}

/** Starts one of the rig's processes; gives it with its first message. */
async function start<T>(file: string, args: readonly string[]): Promise<readonly [child: ChildProcess, reported: T]> {
  const execArgv = ['--conditions=@wayleave/source', ...steady.flags]
  const child = fork(file, args, { execArgv, env: { ...process.env, ...steady.env } })
  const [reported] = (await once(child, 'message')) as [T]
  return [child, reported]
}

async function startAll() {
  const [nodes, { urls }] = await start<{ readonly urls: readonly string[] }>(nodeProcess, [])
  const [gateway, { rpc }] = await start<{ readonly rpc: string }>(gatewayProcess, [key, ...urls])
  return {
    nodes,
    url: `${rpc}/v3/${key}`,
    async memory(): Promise<Memory> {
      gateway.send('memory')
      return ((await once(gateway, 'message')) as [Memory])[0]
    },
    close() {
      nodes.kill('SIGKILL')
      gateway.kill()
    },
  }
}

interface Passed {
  readonly bytes: number
  readonly firstByteMs: number
  readonly ms: number
}

/** Asks one question, and counts its answer. */
function ask(url: string, method: string, params: readonly unknown[]): Promise<Passed> {
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const outgoing = open(url, { method: 'POST', agent: false }, (response) => {
      let bytes = 0
      let firstByteMs = 0
      response.on('data', (chunk: Buffer) => {
        firstByteMs ||= performance.now() - begun
        bytes += chunk.byteLength
      })
      response.on('end', () => resolve({ bytes, firstByteMs, ms: performance.now() - begun }))
      response.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  })
}

/** Asks short questions at a steady pace until `until` resolves; gives their times in order, in ms. */
async function pace(url: string, until: Promise<unknown>): Promise<readonly number[]> {
  const state = { isOver: false }
  const over = until.finally(() => (state.isOver = true)).catch(() => {})
  const times: Promise<number>[] = []
  while (!state.isOver) {
    times.push(ask(url, 'eth_getBalance', [hex(times.length), 'latest']).then(({ ms }) => ms))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await over
  return (await Promise.all(times)).toSorted((a, b) => a - b)
}

const at = (times: readonly number[], part: number): number => times[Math.floor((times.length - 1) * part)] ?? 0
const mb = (bytes: number): string => (bytes / 1e6).toFixed(1)

/** Whether a client throws when all nodes are killed in the middle of its answer. */
async function throwsWhenKilled(read: (url: string, from: number, to: number) => Promise<unknown>): Promise<string> {
  const { nodes, url, close } = await startAll()
  await ask(url, 'eth_chainId', [])
  const reading = read(url, first, first + 20_000).then(
    () => 'RETURNED',
    (thrown: unknown) => `throws ${(thrown as Error).name}`,
  )
  // By then, the first megabyte has long been sent.
  let asked = 0
  nodes.on('message', () => void (++asked === 20 && nodes.kill('SIGKILL')))
  const reported = await reading
  close()
  return reported
}

const clients: Readonly<Record<string, Parameters<typeof throwsWhenKilled>[0]>> = {
  async fetch(url, from, to) {
    const params = [{ fromBlock: hex(from), toBlock: hex(to) }]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params })
    return (await fetch(url, { method: 'POST', body })).json()
  },
  viem: (url, from, to) =>
    createPublicClient({ transport: http(url, { retryCount: 0, timeout: 60_000 }) }).getLogs({
      fromBlock: BigInt(from),
      toBlock: BigInt(to),
    }),
  async ethers(url, from, to) {
    const provider = new JsonRpcProvider(url, 1, { staticNetwork: true })
    return provider.getLogs({ fromBlock: from, toBlock: to }).finally(() => provider.destroy())
  },
}

/** The program `logs-ethclient` as a client; it prints the error of a call that fails. One that fails itself has not thrown. */
function ethclient(program: string): (typeof clients)[string] {
  return async (url, from, to) => {
    const env = { ...process.env, URL: url, FROM: String(from), TO: String(to) }
    const ran = promisify(execFile)(program, [], { env, timeout: 60_000 })
    const { stdout } = await ran.catch((thrown: Error) => {
      report(`ethclient: ${thrown.message}`)
      return { stdout: '' }
    })
    if (stdout !== '') throw Object.assign(new Error(stdout), { name: JSON.stringify(stdout.trim()) })
  }
}

async function main(args: readonly string[]): Promise<number> {
  const values = readOptions(args, { blocks: text('100000'), geth: text(join(tmpdir(), 'wayleave-geth')) })
  const blocks = wholeOf('blocks', values.blocks, 1, 100_000)
  const rows: (readonly [bar: string, target: string, measured: string, isMet: boolean])[] = []

  const rig = await startAll()
  const idle = await pace(rig.url, new Promise((resolve) => setTimeout(resolve, 5_000)))
  const before = await rig.memory()
  const range = { fromBlock: hex(first), toBlock: hex(first + blocks - 1) }
  const long = ask(rig.url, 'eth_getLogs', [range])
  const busy = await pace(rig.url, long)
  const { bytes, firstByteMs, ms } = await long
  const after = await rig.memory()
  rig.close()
  const expected = lengthOf(first, first + blocks - 1) + '{"jsonrpc":"2.0","id":1,"result":}'.length
  const overMb = (after.peak - before.rss) / 1e6
  const slowdown = at(busy, 0.99) / at(idle, 0.99)
  rows.push(
    ['bytes of the answer', mb(expected), mb(bytes), bytes === expected],
    ['memory over idle, MB', `<= ${bars.memoryMb}`, overMb.toFixed(1), overMb <= bars.memoryMb],
    ['first byte, ms', `<= ${bars.firstByteMs}`, firstByteMs.toFixed(0), firstByteMs <= bars.firstByteMs],
    ["other callers' p99, times that of idle", `<= ${bars.slowdown}`, slowdown.toFixed(2), slowdown <= bars.slowdown],
  )
  out(
    `${blocks} blocks in ${(ms / 1_000).toFixed(1)} s; ${((after.cpuMs - before.cpuMs) / 1_000).toFixed(1)} s of CPU in the gateway`,
  )
  out(
    `idle ${mb(before.rss)} MB, peak ${mb(after.peak)} MB; p50, p99 of ${idle.length} calls idle: ${at(idle, 0.5).toFixed(1)}, ${at(idle, 0.99).toFixed(1)} ms, of ${busy.length} beside it: ${at(busy, 0.5).toFixed(1)}, ${at(busy, 0.99).toFixed(1)} ms\n`,
  )
  const programs = await provideGeth(values.geth, report)
  if ('missing' in programs) report(`not run: ethclient: ${programs.missing}`)
  const all = 'missing' in programs ? clients : { ...clients, ethclient: ethclient(programs.logs) }
  for (const [name, read] of Object.entries(all)) {
    const reported = await throwsWhenKilled(read)
    rows.push([`all upstreams killed in the middle: ${name}`, 'throws', reported, reported.startsWith('throws')])
  }
  out('| bar | target | measured | met |')
  out('|---|--:|--:|---|')
  for (const [bar, target, measured, isMet] of rows)
    out(`| ${bar} | ${target} | ${measured} | ${isMet ? 'yes' : 'NO'} |`)
  return rows.every(([, , , isMet]) => isMet) ? 0 : 1
}

await runProgram(usage, main)
