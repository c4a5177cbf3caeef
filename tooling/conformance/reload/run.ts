import { Agent, request } from 'node:http'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { type StandIn, startStandIn } from './node.ts'
import { type Memory, type Proxy, startProxy } from './proxy.ts'

export interface RunOptions {
  readonly reloads: number
  /** Calls a second over HTTP. */
  readonly rate: number
  readonly sockets: number
  /** Between two reloads, in ms. */
  readonly everyMs: number
  readonly report: (line: string) => void
}

export interface Figures {
  readonly calls: number
  /** Calls that were due while too many waited for answers, and were not made. */
  readonly leftOut: number
  /** The first failures, in words. */
  readonly failures: readonly string[]
  readonly failed: number
  readonly dropped: number
  /** Heads that a subscription was told twice, out of order or not at all. */
  readonly wrongHeads: number
  readonly heads: number
  readonly applied: number
  readonly refused: number
  /** Reloads whose outcome was not the right one. */
  readonly wrongOutcomes: readonly string[]
  /** Provider keys under which calls came. */
  readonly keysUsed: number
  /** WebSockets that the gateway opened to the upstreams that no reload changed: in a network that goes on, and beside one that is replaced. */
  readonly socketsOf: Readonly<Record<'calm' | 'steady', number>>
  /** Times that the network that goes on asked for its chain after the first reload. */
  readonly reopened: number
  /** After a fifth of the reloads, and after the last one, both under load. */
  readonly memory: readonly [Memory, Memory]
}

const key = '2b0de5002b0de5002b0de5002b0de500'
/** Longest wait of the rig for any answer, in ms. */
const deadlineMs = 20_000
/** Most calls that may wait for answers: a machine that cannot hold the rate makes fewer, and `leftOut` says so. */
const mostOpen = 2_000

/** Reloads a proxy under load, every second time with a mistake. */
export async function run({ reloads, rate, sockets, everyMs, report }: RunOptions): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-reload-'))
  const configFile = join(folder, 'wayleave.json')
  report(`logs and configuration: ${folder}`)
  await using node = await startStandIn()
  const write = async (i: number): Promise<void> => {
    await writeFile(join(folder, 'provider'), `provider-key-${i}\n`)
    await writeFile(configFile, configText(node, i))
  }
  await write(0)
  await using proxy = await startProxy(configFile, join(folder, 'proxy.log'))
  const opened = await Promise.all(
    Array.from({ length: sockets }, (_, i) => subscribe(proxy, i % 5 === 0 ? 'calm' : 'main')),
  )
  const blocks = setInterval(() => node.addBlock(), 250)
  const load = startLoad(proxy, rate)
  let [applied, refused] = [0, 0]
  const introduced = node.introductions.get('/calm')
  let warm: Memory | undefined
  const wrongOutcomes: string[] = []
  for (let i = 1; i <= reloads; i++) {
    await sleep(everyMs)
    const mistake = i % 2 === 1 ? mistakes[((i - 1) / 2) % mistakes.length]! : undefined
    if (mistake === undefined) await write(i)
    else await writeFile(configFile, mistake.of(configText(node, i)))
    if (i % 5 === 0) proxy.hangUp()
    const { status, isApplied, problems } = await reload(proxy)
    if (isApplied) applied++
    else refused++
    if (status !== (mistake?.status ?? 200)) wrongOutcomes.push(`${i}: ${status} ${problems}`)
    if (i % 10 === 0) report(`${i} reloads, ${load.calls()} calls, ${load.failures.length} failed`)
    if (i === Math.ceil(reloads / 5)) warm = await leastMemory(proxy)
  }
  await sleep(everyMs)
  const memory = [warm!, await leastMemory(proxy)] as const
  clearInterval(blocks)
  await load.end()
  // The last head reaches everybody in the end, however busy the machine is.
  for (let i = 0; i < 100 && opened.some(({ heads }) => heads.at(-1) !== node.height()); i++) await sleep(100)
  await sleep(1_000)
  const figures = {
    calls: load.calls(),
    leftOut: load.leftOut(),
    failed: load.failures.length,
    failures: load.failures.slice(0, 10),
    dropped: opened.filter(({ isOpen }) => !isOpen()).length,
    heads: opened.reduce((sum, { heads }) => sum + heads.length, 0),
    wrongHeads: opened.reduce((sum, { heads }) => sum + wrongOf(heads, node.height()), 0),
    applied,
    refused,
    wrongOutcomes,
    keysUsed: [...node.calls.keys()].filter((path) => path.includes('provider-key')).length,
    socketsOf: { calm: node.sockets.get('/calm') ?? 0, steady: node.sockets.get('/steady') ?? 0 },
    reopened: node.introductions.get('/calm')! - introduced!,
    memory,
  }
  for (const { end } of opened) end()
  return figures
}

/** The least memory of some looks: calls in flight come and go. */
async function leastMemory(proxy: Proxy): Promise<Memory> {
  const looks: Memory[] = []
  for (let i = 0; i < 4; i++) looks.push(await proxy.memory())
  return looks.reduce((least, each) => (each.held < least.held ? each : least))
}

/** Has the configuration read again. Where there is no answer, the status is 0. */
async function reload({ admin }: Proxy) {
  const signal = AbortSignal.timeout(deadlineMs)
  try {
    const answer = await fetch(`${admin}/reload`, { method: 'POST', signal })
    const { applied, problems } = (await answer.json()) as { applied: boolean; problems: readonly unknown[] }
    return { status: answer.status, isApplied: applied, problems: JSON.stringify(problems) }
  } catch (thrown) {
    return { status: 0, isApplied: false, problems: String(thrown) }
  }
}

/** A network where a provider's key rotates beside an upstream that stays, one that never changes, one and a project that come and go, and limits of callers. */
function configText(node: StandIn, i: number): string {
  const { url, ws } = node
  const upstream = (path: string, name = path) => ({ name, url: `${url}/${path}`, ws: `${ws}/${path}` })
  const network = (...upstreams: readonly object[]) => ({ kind: 'evm', chainId: 1, upstreams })
  const isThere = i % 4 === 0
  return JSON.stringify({
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: {
      main: network(upstream('${file:provider}', `provider-${i % 3}`), upstream('steady')),
      calm: network(upstream('calm')),
      ...(isThere && { [`extra-${i}`]: network(upstream('extra')) }),
    },
    projects: [
      { name: 'rig', keys: [{ key }] },
      ...(isThere ? [{ name: `passing-${i}`, keys: [{ key: `a-passing-key-${i}` }] }] : []),
    ],
    limits: { maxBatch: 100 + i, maxSubscriptions: 500 + i, maxLogBlocks: 1_000 + i, maxInFlight: 200 + i },
  })
}

const mistakes = [
  { status: 422, of: (text: string) => text.slice(0, -2) },
  { status: 422, of: (text: string) => text.replace('"evm"', '"bitcoin"') },
  { status: 422, of: (text: string) => text.replace('file:provider', 'file:absent') },
  { status: 409, of: (text: string) => text.replace('"admin":"127.0.0.1:0"', '"admin":"127.0.0.1:1"') },
] as const

/** Calls by an even rhythm, whatever the answers. */
function startLoad({ rpc }: Proxy, rate: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const failures: string[] = []
  const open = new Set<Promise<void>>()
  let calls = 0
  let made = 0
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] })

  function call(network: string): void {
    calls++
    const done = new Promise<void>((resolve) => {
      const fail = (why: string): void => (failures.push(`${network}: ${why}`), resolve())
      const asked = request(`${rpc}/${network}/v3/${key}`, { method: 'POST', agent, timeout: deadlineMs }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => (text += part))
        answer.on('end', () =>
          text.includes('"result"') ? resolve() : fail(`${answer.statusCode} ${text.slice(0, 200)}`),
        )
      })
      asked.on('timeout', () => asked.destroy(new Error(`no answer for ${deadlineMs} ms`)))
      asked.on('error', ({ message }) => fail(message))
      asked.end(body)
    })
    open.add(done)
    void done.finally(() => open.delete(done))
  }

  const started = performance.now()
  const timer = setInterval(() => {
    const due = ((performance.now() - started) / 1_000) * rate
    for (; made < due; made++) {
      if (open.size < mostOpen) call(made % 4 === 0 ? 'calm' : 'main')
    }
  }, 5)
  return {
    calls: () => calls,
    leftOut: () => made - calls,
    failures,
    async end() {
      clearInterval(timer)
      await Promise.all(open)
      agent.destroy()
    },
  }
}

async function subscribe({ ws }: Proxy, network: string) {
  const socket = new WebSocket(`${ws}/${network}/ws/v3/${key}`)
  const heads: number[] = []
  let isOpen = true
  socket.on('close', () => (isOpen = false))
  socket.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no subscription within ${deadlineMs} ms`)), deadlineMs)
    socket.once('error', reject)
    socket.on('open', () =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] })),
    )
    socket.on('message', (data) => {
      const { id, params } = JSON.parse(String(data)) as { id?: number; params?: { result: { number: string } } }
      if (id === 1) {
        clearTimeout(late)
        resolve()
      } else if (params !== undefined) heads.push(Number(params.result.number))
    })
  })
  return { heads, isOpen: () => isOpen, end: () => socket.terminate() }
}

/** Counts heads that do not follow the one before, and those that are missing at the end. */
function wrongOf(heads: readonly number[], height: number): number {
  const jumps = heads.filter((head, i) => i > 0 && head !== heads[i - 1]! + 1).length
  return jumps + (heads.length === 0 ? 1 : Math.abs(height - heads.at(-1)!))
}
