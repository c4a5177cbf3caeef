import { type Anchor, verification, verify, type VerifyError } from '@wayleave/evm-verify'
import {
  type Clock,
  coalesce,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
  timeout,
} from '@wayleave/jsonrpc-core'
import type { Endpoint } from '@wayleave/upstream'
import type { OpenEndpoint } from './endpoints.ts'
import { isSomething } from './is-something.ts'
import type { VerificationOutcome } from './metrics.ts'
import { isLie, refusalOf } from './refusal.ts'

export interface VerificationOptions {
  readonly clock: Clock
  /** Longest answer that is held, and the most that its proof may take, in bytes. */
  readonly maxBytes: number
  /** Gets each answer that could have been proven, had the endpoint given what that takes. */
  readonly withheld: WeakSet<RpcResponse>
  /** Hears of each answer that was looked at; of a refused one also why. */
  readonly onAnswer: (endpoint: string, method: string, outcome: VerificationOutcome, refusal?: VerifyError) => void
}

/** How long an endpoint may take to say which block it has, in ms, and no more than a quarter of the time that the call has left. */
const voteTimeoutMs = 2_000
/** How long one that did not say is left out, in ms: nobody should wait for it again and again. */
const silenceMs = 10_000

/**
 * The endpoints of a network, those that are configured so with a handler that rejects with `invalid_response` where an answer is
 * false. What is proven rests on a hash in the question, or on what most of the endpoints say, two at least. What cannot be
 * proven has to agree with itself, and what nothing can be told of passes: a network stays of use.
 */
export function verifyEndpoints(endpoints: readonly OpenEndpoint[], options: VerificationOptions): readonly Endpoint[] {
  const handlers = endpoints.map(({ handler }) => voterOf(handler, options.clock))
  const quorum = { quorum: { handlers, atLeast: Math.floor(endpoints.length / 2) + 1 } }
  return endpoints.map((endpoint) =>
    endpoint.verify === 'off'
      ? endpoint
      : { ...endpoint, handler: verified(endpoint, endpoints.length < 2 ? undefined : quorum, options) },
  )
}

function verified(
  { name, handler, verify: level }: OpenEndpoint,
  anchor: Anchor | undefined,
  { clock, maxBytes, withheld, onAnswer }: VerificationOptions,
): RpcHandler {
  const check = verify({ require: 'consistent', maxBytes })
  const prove = verify({
    require: 'proven',
    unverifiable: 'pass',
    maxBytes,
    ...(anchor === undefined ? {} : { anchor }),
  })

  async function proving(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
    const proofEnds = (clock.now() + context.deadline) / 2
    let isAsked = false
    let lacksSome = false
    let isWithheld = false
    const response = await prove(async (inner, at) => {
      const isPlain = inner === request
      isAsked ||= isPlain
      const ask = isPlain ? handler : timeout(proofEnds - clock.now(), { clock })(handler)
      const answer = await ask(inner, at)
      lacksSome ||= !isSomething(answer)
      isWithheld ||= !isPlain && !isSomething(answer)
      return answer
    })(request, context).catch((thrown: unknown) => {
      if (context.cancelled !== undefined) throw context.cancelled
      isWithheld = true
      if (refusalOf(thrown) === undefined) return undefined
      // Of nodes behind one URL, one may have what another does not have yet.
      throw lacksSome ? new RpcError('unavailable', 'the endpoint lacks a block', { cause: thrown }) : thrown
    })
    if (isVerified(response)) return response!
    // A proof that fails or takes long, or a block that a node does not take by its hash: the caller's own words decide.
    const isAnswer = response !== undefined && (isAsked || isSomething(response))
    const checked = await check(isAnswer ? async () => response : handler)(request, context)
    if (isWithheld) withheld.add(checked)
    return checked
  }

  const ask = level === 'proven' ? proving : check(handler)
  return async (request, context) => {
    try {
      const response = await ask(request, context)
      const found = verification.of(response.meta)
      if (found !== undefined) onAnswer(name, request.method, found.level)
      return response
    } catch (thrown) {
      const refusal = refusalOf(thrown)
      if (refusal === undefined) throw thrown
      onAnswer(name, request.method, 'refused', refusal)
      // What came and what was asked for stay out of a message that others may print.
      const code = isLie(thrown) ? 'invalid_response' : 'unavailable'
      throw new RpcError(code, `the answer to ${request.method} does not verify`, { cause: refusal })
    }
  }
}

/** An endpoint as one of a quorum. */
function voterOf(handler: RpcHandler, clock: Clock): RpcHandler {
  let silentUntil = Number.NEGATIVE_INFINITY
  // Calls of one moment ask for the same blocks.
  const share = coalesce({ clock, key: ({ method, params }) => `${method} ${params?.text()}` })
  return share(async (request, context) => {
    if (clock.now() < silentUntil) {
      throw new RpcError('unavailable', 'the endpoint failed a moment ago', { delivery: 'not_sent' })
    }
    const timeoutMs = Math.min(voteTimeoutMs, (context.deadline - clock.now()) / 4)
    try {
      return await timeout(timeoutMs, { clock })(handler)(request, context)
    } catch (thrown) {
      if (context.cancelled === undefined) silentUntil = clock.now() + silenceMs
      throw thrown
    }
  })
}

/** Whether an answer was found right, in whole or in part. */
export function isVerified(response: RpcResponse | undefined): boolean {
  return (verification.of(response?.meta)?.level ?? 'unverifiable') !== 'unverifiable'
}
