import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerParent } from '../starvation/measure/child.ts'
import { watchStalls } from '../starvation/measure/stalls.ts'

/* Callers in a process of their own: each calls at its pace, the gateways in turns, and counts what it was answered. */

/** Some callers of one key. */
export interface CallerGroup {
  readonly key: string
  readonly callers: number
  /** Calls a second of all of them. */
  readonly perSecond: number
  /** The methods that they call, in turns. */
  readonly methods: readonly string[]
  /** Whether a caller who is late makes all calls that are due. Else it never calls faster than at its pace. */
  readonly catchesUp: boolean
}

export interface LoadOptions {
  readonly gateways: readonly string[]
  readonly groups: readonly CallerGroup[]
  readonly seconds: number
}

/** An answer. */
export interface Sample {
  /** When it was asked for, and when it came, in ms since the load began. */
  readonly at: number
  readonly end: number
  /** 0 if none came. */
  readonly status: number
  readonly method: string
  readonly failure: string
}

export interface LoadResult {
  /** By group. */
  readonly samples: readonly (readonly Sample[])[]
  /** How late this process itself was, in ms. */
  readonly ownDelay: { readonly p99: number; readonly max: number }
}

const patienceMs = 40_000
const agent = new Agent({ keepAlive: true })
const stalls = watchStalls()

function post(url: string, method: string): Promise<{ readonly status: number; readonly body: string }> {
  const account = '0x00000000000000000000000000000000000000aa'
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [account, 'latest'] })
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const asked = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode!, body: text }))
      response.on('error', reject)
    })
    asked.on('error', reject)
    const timer = setTimeout(() => asked.destroy(new Error('no answer')), patienceMs)
    asked.on('close', () => clearTimeout(timer))
    asked.end(body)
  })
}

async function callOnce(url: string, method: string, first: number): Promise<Sample> {
  const at = performance.now() - first
  const end = (): number => performance.now() - first
  try {
    const { status, body } = await post(url, method)
    const isFailure = status !== 200 || !body.includes('"result"')
    return { at, end: end(), status, method, failure: isFailure ? body.slice(0, 200) : '' }
  } catch (thrown) {
    const failure = (thrown as NodeJS.ErrnoException).code ?? (thrown as Error).message
    return { at, end: end(), status: 0, method, failure }
  }
}

async function run({ gateways, groups, seconds }: LoadOptions): Promise<LoadResult> {
  stalls.take()
  const first = performance.now()

  async function callOnAndOn(group: CallerGroup, caller: number): Promise<readonly Sample[]> {
    const everyMs = (1_000 * group.callers) / group.perSecond
    const samples: Sample[] = []
    let due = first + (caller / group.callers) * everyMs
    for (let i = 0; due - first < seconds * 1_000; i++) {
      const wait = due - performance.now()
      if (wait > 0) await sleep(wait)
      const url = `${gateways[(i + caller) % gateways.length]}/v3/${group.key}`
      due = Math.max(due, group.catchesUp ? due : performance.now()) + everyMs
      samples.push(await callOnce(url, group.methods[(i + caller) % group.methods.length]!, first))
    }
    return samples
  }

  const samples = await Promise.all(
    groups.map(async (group) => {
      const each = await Promise.all(Array.from({ length: group.callers }, (_, i) => callOnAndOn(group, i)))
      return each.flat()
    }),
  )
  return { samples, ownDelay: stalls.take() }
}

answerParent({ run })
