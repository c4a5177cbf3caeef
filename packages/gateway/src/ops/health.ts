import { type Clock, createContext, isStream, RpcError, type RpcResponse } from '@wayleave/jsonrpc-core'
import type { Endpoint } from '@wayleave/upstream'
import { type HttpAnswer, plainAnswer } from '../http/answer.ts'

/** The reason why an endpoint cannot serve; without a URL. */
interface ProbeFailure {
  readonly endpoint: string
  readonly reason: string
}

/** Asks whether a network can serve now: resolves with the failures of all its endpoints, or with none where one of them can. */
export type Probe = () => Promise<readonly ProbeFailure[]>

/** A part of the gateway that can be asked whether it serves. */
export interface Probed {
  readonly name: string
  readonly probe: Probe
}

/** How long a node may take to answer a probe, in ms. */
const probeTimeoutMs = 2_000
/** How long an answer holds, in ms: anybody may ask, and that must not load the nodes. */
const freshMs = 1_000

/** The question that tells a network's nodes, and the answer of the right ones. */
export interface ChainQuestion {
  readonly method: string
  readonly expected: string
}

/** Creates the {@link Probe} of a network: an endpoint has to name the configured chain. */
export function createProbe(endpoints: readonly Endpoint[], question: ChainQuestion, clock: Clock): Probe {
  const { method, expected } = question

  async function ask({ handler }: Endpoint): Promise<string | undefined> {
    const context = createContext({ clock, timeoutMs: probeTimeoutMs })
    try {
      const chain = chainOf(await handler({ method, params: undefined, notification: false }, context))
      return chain === expected ? undefined : `expected chain ${expected}, got ${chain}`
    } catch (thrown) {
      return thrown instanceof RpcError ? thrown.message : 'the probe failed'
    } finally {
      context.release()
    }
  }

  async function askAll(): Promise<readonly ProbeFailure[]> {
    const reasons = await Promise.all(endpoints.map(ask))
    askedAt = clock.now()
    if (reasons.includes(undefined)) return []
    return endpoints.map(({ name }, i) => ({ endpoint: name, reason: reasons[i]! }))
  }

  // Questions that come meanwhile get the same answer.
  let last: Promise<readonly ProbeFailure[]> | undefined
  let askedAt = Number.POSITIVE_INFINITY
  return () => {
    if (last === undefined || clock.now() - askedAt >= freshMs) {
      askedAt = Number.POSITIVE_INFINITY
      last = askAll()
    }
    return last
  }
}

/** Reads the chain of an answer; of any other answer it tells no more than its kind, since anybody may read it. */
function chainOf({ result, error }: RpcResponse): string {
  if (error !== undefined) return `error ${error.code}`
  const chain = isStream(result) ? undefined : result.value()
  return typeof chain === 'string' && /^0x[\da-f]{1,64}$/i.test(chain)
    ? `0x${BigInt(chain).toString(16)}`
    : 'something else'
}

/**
 * Prints a line for each part: whether it can serve, or why not. The status is 503 where one cannot. Endpoints are named to an
 * operator only.
 */
export async function readiness(probed: Iterable<Probed>, toOperator: boolean): Promise<HttpAnswer> {
  const all = [...probed]
  const failures = await Promise.all(all.map(({ probe }) => probe()))
  const lines = all.map(({ name }, i) => {
    const reasons = failures[i]!.map(({ endpoint, reason }) => (toOperator ? `${endpoint}: ${reason}` : reason))
    return `${name}: ${reasons.length === 0 ? 'ok' : [...new Set(reasons)].join('; ')}\n`
  })
  const status = failures.every(({ length }) => length === 0) ? 200 : 503
  return plainAnswer(status, lines.join(''))
}
