import { Agent } from 'node:http'
import { call, post, type RpcAnswer } from '../test/support/http.ts'
import { busy, head, printLogs, quiet, type Search } from './chain.ts'

/** A generator of numbers from 0 up to 1 (mulberry32, T. Ettinger). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Draws searches of 1 to 20,000 blocks, short ones as often as long ones by orders of magnitude; half of a busy contract, few of any. */
export function drawSearch(random: () => number): Search {
  const blocks = Math.floor(20_000 ** random())
  const from = Math.floor(random() * (head - blocks))
  const kind = random()
  return { from, to: from + blocks - 1, address: kind < 0.45 ? busy : kind < 0.9 ? quiet : undefined }
}

export interface Answered {
  readonly search: Search
  readonly outcome: 'right' | 'wrong' | 'refused' | 'failed'
  readonly error: RpcAnswer['error']
}

const hex = (number: number): string => `0x${number.toString(16)}`

/** Asks for one search, and compares the answer with the chain. */
async function askFor(url: string, search: Search, agent: Agent, method: string): Promise<Answered> {
  const { from, to, address } = search
  const filter = { fromBlock: hex(from), toBlock: hex(to), ...(address !== undefined && { address }) }
  const { text } = await post(url, call(method, [filter]), { agent })
  const truth = `"result":${printLogs(search)}}`
  if (text.endsWith(truth)) return { search, outcome: 'right', error: undefined }
  const { error } = JSON.parse(text) as RpcAnswer
  const outcome = error === undefined ? 'wrong' : /range|results/i.test(error.message) ? 'refused' : 'failed'
  return { search, outcome, error }
}

/** Sends searches, so many at once. */
export async function send(
  url: string,
  searches: readonly Search[],
  atOnce: number,
  method = 'eth_getLogs',
): Promise<readonly Answered[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const answers: Answered[] = []
  const left = [...searches]
  const caller = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      answers.push(await askFor(url, next, agent, method))
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, caller))
  } finally {
    agent.destroy()
  }
  return answers
}
