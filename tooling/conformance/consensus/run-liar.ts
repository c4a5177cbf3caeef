import { createHash } from 'node:crypto'
import { type Config, createLog, startGateway } from '@wayleave/gateway'
import { createContext, createHttpTransport, isStream, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { type Chain, heightIn, type Json, startChain } from './chain.ts'
import type { Liar } from './liars.ts'
import { plain, startNode, wordy } from './nodes.ts'

/** The outcome of the calls through one gateway. */
export interface Outcome {
  readonly liar: string
  /** Upstreams asked at once; 1: no consensus. */
  readonly atOnce: number
  readonly calls: number
  /** False answers that callers got. */
  readonly served: number
  /** Calls that ended with an error. */
  readonly errors: number
  /** False answers of the liar. */
  readonly reported: number
  /** Calls to upstreams, for heads excluded, for each call of a caller. */
  readonly cost: number
  /** The median and the 95th percentile, in ms. */
  readonly p50Ms: number
  readonly p95Ms: number
}

const key = '5a1c0de75a1c0de75a1c0de75a1c0de7'
const methods = ['eth_call', 'eth_getStorageAt', 'eth_getLogs', 'eth_getBlockByNumber', 'eth_getTransactionReceipt']
const inFlight = 16

interface Question {
  readonly method: string
  readonly params: readonly unknown[]
}

/** Returns the question of a number: a method in turn, at the latest or at an earlier block, that no other number asks. */
function questionOf(chain: Chain, nth: number): Question {
  const method = methods[nth % methods.length]!
  const address = `0x${createHash('sha256').update(String(nth)).digest('hex').slice(0, 40)}`
  const number = chain.height() - 2 - ((nth * 7) % 900)
  const at = nth % 2 === 0 ? 'latest' : `0x${number.toString(16)}`
  switch (method) {
    case 'eth_call':
      return { method, params: [{ to: address, data: '0x' }, at] }
    case 'eth_getStorageAt':
      return { method, params: [address, '0x0', at] }
    case 'eth_getLogs':
      return { method, params: [{ address, fromBlock: at, toBlock: at }] }
    case 'eth_getBlockByNumber':
      return { method, params: [at, false] }
    default:
      return { method, params: [(chain.block(number)['transactions'] as readonly string[])[0]] }
  }
}

/** Tells a false answer: one that no block of the chain explains which its caller can have meant. */
export function isFalse(chain: Chain, { method, params }: Question, answer: unknown, from: number): boolean {
  const reported = heightReported(method, answer)
  const block = params.map((param) => (typeof param === 'object' ? (param as Json)['fromBlock'] : param))
  const isLatest = block.includes('latest')
  const asked =
    method === 'eth_getTransactionReceipt' ? heightIn(params[0]) : Number(block.findLast((it) => it !== false))
  const number = isLatest ? reported : asked
  // An answer at the latest block is of one of those of the last seconds.
  if (isLatest && !(number >= from - 10 && number <= chain.height())) return true
  return !covers(answer, chain.truth(method, params, number))
}

function heightReported(method: string, answer: unknown): number {
  if (method === 'eth_call' || method === 'eth_getStorageAt') return heightIn(answer)
  const first = Object(Array.isArray(answer) ? answer[0] : answer) as Json
  return Number(first['blockNumber'] ?? first['number'])
}

/** Whether an answer has every member of the truth; null may be missing, and nodes count sizes in their own ways. */
function covers(answer: unknown, truth: unknown): boolean {
  if (typeof truth !== 'object' || truth === null) return (answer ?? null) === truth
  if (typeof answer !== 'object' || answer === null) return false
  if (Array.isArray(truth) && (answer as readonly unknown[]).length !== truth.length) return false
  return Object.entries(truth).every(([name, value]) => name === 'size' || covers((answer as Json)[name], value))
}

/** Asks so many questions, each of one node or of `atOnce` nodes whose answers are compared, through a gateway before two honest nodes of different wording and a liar. */
export async function runLiar(liar: Liar, atOnce: number, calls: number): Promise<Outcome> {
  const chain = startChain(() => performance.now())
  await using first = await startNode(chain, plain)
  await using second = await startNode(chain, wordy)
  await using third = await startNode(chain, plain, liar)
  const nodes = [first, second, third]
  const consensus = { methods, participants: 3, agreement: 2 }
  const config: Config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    // Each call has to be asked of nodes, for whose answers it is here.
    cache: false,
    projects: [{ name: 'conformance', keys: [{ key }] }],
    networks: {
      net: { kind: 'evm', chainId: 1, upstreams: nodes.map(({ url }) => url), ...(atOnce > 1 && { consensus }) },
    },
  }
  const gateway = await startGateway(config, { log: createLog({ level: 'silent' }) })
  try {
    const answers = await askAll(createHttpTransport({ url: `${gateway.rpc}/v3/${key}` }), chain, calls)
    return { ...answers, liar: liar.name, atOnce, ...costOf() }
  } finally {
    await gateway.close()
  }

  function costOf(): Pick<Outcome, 'reported' | 'cost'> {
    const asked = nodes.reduce((sum, node) => sum + node.calls, 0)
    return { reported: third.lies, cost: asked / calls }
  }
}

type Answers = Pick<Outcome, 'calls' | 'served' | 'errors' | 'p50Ms' | 'p95Ms'>

async function askAll(transport: RpcHandler, chain: Chain, calls: number): Promise<Answers> {
  const times: number[] = []
  let next = 0
  let served = 0
  let errors = 0
  async function work(): Promise<void> {
    while (next < calls) {
      const question = questionOf(chain, next++)
      const from = chain.height()
      const since = performance.now()
      const answer = await textOf(transport, question)
      times.push(performance.now() - since)
      if (answer === undefined) errors++
      // A member that stands twice has both values in the text.
      else if (answer.includes('"0xbad"') || isFalse(chain, question, JSON.parse(answer), from)) served++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, work))
  times.sort((a, b) => a - b)
  const quantile = (q: number): number => times[Math.floor(q * (times.length - 1))]!
  return { calls, served, errors, p50Ms: quantile(0.5), p95Ms: quantile(0.95) }
}

/** Returns the text of an answer's result; undefined for an error. */
async function textOf(transport: RpcHandler, { method, params }: Question): Promise<string | undefined> {
  const context = createContext()
  try {
    const { result } = await transport({ method, params: rawJsonFromValue(params), notification: false }, context)
    return result === undefined || isStream(result) ? undefined : result.text()
  } catch {
    return undefined
  } finally {
    context.release()
  }
}
