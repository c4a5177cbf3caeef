import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerParent } from '../../starvation/measure/child.ts'
import { watchStalls } from '../../starvation/measure/stalls.ts'

/*
 * Callers in a process of their own. They call by a schedule, whether or not earlier calls were answered, and a call's time counts from when it
 * was due: no slow answer hides the next one. The time in which this process itself stood still is taken off.
 */

export interface LoadOptions {
  readonly url: string
  readonly perSecond: number
  readonly calls: number
  /** `balances`: a different account each time; `latest`: balance of `account` and number of the latest block in turns. */
  readonly reads: 'balances' | 'latest'
  readonly account: string
  /** The header in which the gateway names the upstream that answered. */
  readonly upstreamHeader: string
}

export interface Sample {
  /** When it was due, in ms since the epoch of `Date`. */
  readonly due: number
  readonly ms: number
  /** Empty for a good answer. */
  readonly failure: string
  readonly upstream: string
  /** The answer, by what was asked; both are undefined for a failure. */
  readonly balance: string | undefined
  readonly height: number | undefined
}

export interface LoadResult {
  readonly samples: readonly Sample[]
  /** How late this process itself was, in ms. */
  readonly ownDelay: { readonly p99: number; readonly max: number }
}

interface Reply {
  readonly status: number
  readonly upstream: string
  readonly body: string
}

/** Longer than a gateway takes to give up. */
const patienceMs = 40_000
const agent = new Agent({ keepAlive: true })
const stalls = watchStalls()

function post(url: string, body: string, upstreamHeader: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const asked = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => {
        const upstream = String(response.headers[upstreamHeader.toLowerCase()] ?? '')
        resolve({ status: response.statusCode!, upstream, body: text })
      })
      response.on('error', reject)
    })
    asked.on('error', reject)
    const timer = setTimeout(() => asked.destroy(new Error('no answer')), patienceMs)
    asked.on('close', () => clearTimeout(timer))
    asked.end(body)
  })
}

function printCall(i: number, { reads, account }: LoadOptions): string {
  const asked = reads === 'latest' ? account : `0x${(i + 1).toString(16).padStart(40, '0')}`
  const call =
    reads === 'latest' && i % 2 === 1
      ? { method: 'eth_getBlockByNumber', params: ['latest', false] }
      : { method: 'eth_getBalance', params: [asked, 'latest'] }
  return JSON.stringify({ jsonrpc: '2.0', id: i, ...call })
}

async function callOnce(i: number, due: number, options: LoadOptions): Promise<Sample> {
  let failure = ''
  let upstream = ''
  let result: string | { readonly number: string } | null | undefined
  try {
    const reply = await post(options.url, printCall(i, options), options.upstreamHeader)
    upstream = reply.upstream
    result = (JSON.parse(reply.body) as { result?: typeof result }).result
    if (reply.status !== 200 || result == null) failure = `status ${reply.status}: ${reply.body.slice(0, 200)}`
  } catch (thrown) {
    failure = (thrown as NodeJS.ErrnoException).code ?? (thrown as Error).message
  }
  const ended = performance.now()
  const ms = ended - due - stalls.within(due, ended)
  return {
    due: performance.timeOrigin + due,
    ms,
    failure,
    upstream,
    balance: typeof result === 'string' ? result : undefined,
    height: typeof result === 'object' && result !== null ? Number(result.number) : undefined,
  }
}

async function run(options: LoadOptions): Promise<LoadResult> {
  const { calls, perSecond } = options
  stalls.take()
  const first = performance.now()
  const open: Promise<Sample>[] = []
  while (open.length < calls) {
    const due = first + (open.length * 1_000) / perSecond
    const wait = due - performance.now()
    if (wait > 0) await sleep(wait)
    open.push(callOnce(open.length, due, options))
  }
  return { samples: await Promise.all(open), ownDelay: stalls.take() }
}

answerParent({ run })
