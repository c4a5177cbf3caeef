import { Agent, request } from 'node:http'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { WebSocket } from 'ws'
import type { Latencies } from './measure/bars.ts'
import { answerParent } from './measure/child.ts'
import { percentile } from './measure/percentile.ts'
import { watchStalls } from './measure/stalls.ts'

/*
 * A caller of another project than the attacker's. It calls by a schedule, whether or not earlier calls were answered, so no
 * slow answer hides the next (coordinated omission). The time in which this process itself stood still is taken off.
 */

/** The longest wait for an answer, in ms: longer than the gateway's own `requestTimeoutMs`. */
const patienceMs = 40_000

interface Kind {
  readonly name: string
  readonly perSecond: number
  readonly call: (body: string, id: number) => Promise<string>
}

interface Sample {
  readonly kind: string
  readonly ms: number
  /** Empty for a good answer. */
  readonly failure: string
}

const agent = new Agent({ keepAlive: true })
let phase = ''
const samples = new Map<string, Sample[]>()
const open = new Map<string, number>()
let nextId = 1

/** A call as it is sent, and the result that its answer has. */
interface Question {
  readonly call: string
  readonly result: string
}

function read(id: number): Question {
  return { call: `"method":"eth_getBalance","params":["0x${id.toString(16)}","latest"]`, result: '0x1406f40' }
}

/** Makes signed transactions of several senders: writes spread over the nodes even where those of one sender go to one node. */
function writesOf(chainId: number): (id: number) => Promise<Question> {
  const accounts = Array.from({ length: 16 }, (_, i) =>
    privateKeyToAccount(`0x${(i + 1).toString(16).padStart(64, '0')}`),
  )
  let count = 0
  return async () => {
    const nonce = Math.floor(count / accounts.length)
    const account = accounts[count++ % accounts.length]!
    const to = account.address
    const fees = { gas: 21_000n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }
    const signed = await account.signTransaction({ type: 'eip1559', chainId, nonce, to, value: 1n, ...fees })
    return { call: `"method":"eth_sendRawTransaction","params":["${signed}"]`, result: keccak256(signed) }
  }
}

function overHttp(url: string, keepAlive: boolean): Kind['call'] {
  return (body) =>
    new Promise((resolve, reject) => {
      const asked = request(url, { method: 'POST', agent: keepAlive ? agent : false }, (response) => {
        let text = ''
        response.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
        response.on('end', () => {
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`status ${response.statusCode}`))
        })
        response.on('error', reject)
      })
      asked.on('error', reject)
      const timer = setTimeout(() => asked.destroy(new Error('no answer')), patienceMs)
      asked.on('close', () => clearTimeout(timer))
      asked.end(body)
    })
}

/** Keeps one connection open; calls are failures while there is none. */
function overWebSocket(url: string): Kind['call'] {
  const waiting = new Map<number, PromiseWithResolvers<string>>()
  let socket: WebSocket
  const connect = (): void => {
    socket = new WebSocket(url)
    socket.on('error', () => {})
    socket.on('message', (data) => {
      const text = String(data)
      const id = Number(/"id":(\d+)/.exec(text)?.[1])
      waiting.get(id)?.resolve(text)
      waiting.delete(id)
    })
    socket.on('close', (code) => {
      for (const { reject } of waiting.values()) reject(new Error(`closed with ${code}`))
      waiting.clear()
      setTimeout(connect, 100)
    })
  }
  connect()
  return (body, id) => {
    const one = Promise.withResolvers<string>()
    waiting.set(id, one)
    socket.send(body, (error) => error && one.reject(error))
    setTimeout(() => one.reject(new Error('no answer')), patienceMs).unref()
    return one.promise
  }
}

type Asker = (id: number) => Question | Promise<Question>

let schedule: { readonly kind: Kind; readonly ask: Asker; due: number }[] = []

async function callOnce(kind: Kind, ask: Asker, id: number): Promise<void> {
  const called = phase
  open.set(called, (open.get(called) ?? 0) + 1)
  const { call, result } = await ask(id)
  const begun = performance.now()
  let failure = ''
  try {
    const text = await kind.call(`{"jsonrpc":"2.0","id":${id},${call}}`, id)
    if (!text.includes(`"result":"${result}"`) || !text.includes(`"id":${id}`)) failure = text.slice(0, 200)
  } catch (thrown) {
    failure = (thrown as NodeJS.ErrnoException).code ?? (thrown as Error).message
  }
  const ended = performance.now()
  const ms = ended - begun - stalls.within(begun, ended)
  const kept = samples.get(called) ?? []
  samples.set(called, kept)
  kept.push({ kind: kind.name, ms, failure })
  open.set(called, open.get(called)! - 1)
}

const stalls = watchStalls((now) => {
  for (const each of schedule) {
    while (each.due <= now) {
      each.due += 1000 / each.kind.perSecond
      void callOnce(each.kind, each.ask, nextId++)
    }
  }
})

function summarize(kind: string, all: readonly Sample[]): Latencies {
  const mine = all.filter((sample) => sample.kind === kind)
  const failed = mine.filter(({ failure }) => failure !== '')
  const times = mine.map(({ ms }) => ms)
  return {
    calls: mine.length,
    failures: failed.length,
    failure: failed[0]?.failure ?? '',
    p50: percentile(times, 50),
    p99: percentile(times, 99),
    max: percentile(times, 100),
  }
}

answerParent({
  start({ rpc, ws, key }: { rpc: string; ws: string; key: string }) {
    const http = (network: string, keepAlive = true): Kind['call'] => overHttp(`${rpc}/${network}/v3/${key}`, keepAlive)
    const socket = (network: string): Kind['call'] => overWebSocket(`${ws}/${network}/ws/v3/${key}`)
    const kinds: readonly [string, number, Kind['call'], Asker][] = [
      ['read', 20, http('one'), read],
      ['read, other network', 20, http('two'), read],
      ['read, new connection', 20, http('one', false), read],
      ['write', 20, http('one'), writesOf(1)],
      ['write, other network', 20, http('two'), writesOf(2)],
      ['WebSocket', 20, socket('one'), read],
      ['WebSocket, other network', 20, socket('two'), read],
    ]
    return new Promise<void>((resolve) => {
      // The WebSockets open meanwhile.
      setTimeout(() => {
        const now = performance.now()
        schedule = kinds.map(([name, perSecond, call, ask], i) => ({
          kind: { name, perSecond, call },
          ask,
          due: now + (i * 50) / kinds.length,
        }))
        resolve()
      }, 500)
    })
  },
  /** Counts the following calls under `name`, and returns how late this process was since the last one began. */
  phase(name: string) {
    phase = name
    return stalls.take()
  },
  /** Waits for the calls of a phase. */
  async results(name: string) {
    while ((open.get(name) ?? 0) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
    const all = samples.get(name) ?? []
    return schedule.map(({ kind }) => [kind.name, summarize(kind.name, all)])
  },
})
