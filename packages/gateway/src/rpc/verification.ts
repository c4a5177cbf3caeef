import { printQuantity } from '@wayleave/evm-types'
import { type Anchor, verification, verify, type VerifyError } from '@wayleave/evm-verify'
import {
  type Clock,
  coalesce,
  isStream,
  rawJsonFromValue,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
  timeout,
} from '@wayleave/jsonrpc-core'
import type { Endpoint, PoolOptions } from '@wayleave/upstream'
import type { VerificationOutcome } from '../ops/metrics.ts'
import type { OpenEndpoint } from './endpoints.ts'
import { falseAnswerOf, isLie } from './false-answer.ts'

export interface VerificationOptions {
  readonly clock: Clock
  /** Longest answer that is held, and the most that its proof may take, in bytes. */
  readonly maxBytes: number
  /** The latest block of an endpoint, by name, as far as it is known: its vote, without a call. Default: each is asked. */
  readonly latestOf?: (endpoint: string) => number | undefined
  /** Called with each answer that was looked at, and with the reason where it was refused. */
  readonly onAnswer: (endpoint: string, method: string, outcome: VerificationOutcome, why?: VerifyError) => void
}

/** How long an endpoint may take to name its block, in ms, and no more than a quarter of the time that the call has left. */
const voteTimeoutMs = 2_000
/** How long an endpoint that did not answer is left out, in ms: nobody should wait for it again and again. */
const silenceMs = 10_000

/** The part of a pool's options that verification decides. */
export interface VerifiedPool extends Required<Pick<PoolOptions, 'isVerified' | 'isLastResort'>> {
  readonly endpoints: readonly Endpoint[]
}

/**
 * Wraps endpoints that are configured so in a handler that rejects a false answer with `invalid_response`. A proof rests on a hash in
 * the question, or on the word of most endpoints, two at least. An answer that cannot be proven has to agree with itself, and one of
 * which nothing can be told passes, so that a network stays of use.
 */
export function verifyEndpoints(endpoints: readonly OpenEndpoint[], options: VerificationOptions): VerifiedPool {
  const handlers = endpoints.map((endpoint) => voterOf(endpoint, options))
  const quorum = { quorum: { handlers, atLeast: Math.floor(endpoints.length / 2) + 1 } }
  /** Answers that could have been proven, had the endpoint given what that takes. */
  const withheld = new WeakSet<RpcResponse>()
  return {
    endpoints: endpoints.map((endpoint) =>
      endpoint.verify === 'off'
        ? endpoint
        : { ...endpoint, handler: verified(endpoint, endpoints.length < 2 ? undefined : quorum, withheld, options) },
    ),
    isVerified,
    isLastResort: (response, spare) => withheld.has(response) || (spare !== undefined && !hasContent(response)),
  }
}

function verified(
  { name, handler, verify: level }: OpenEndpoint,
  anchor: Anchor | undefined,
  withheld: WeakSet<RpcResponse>,
  { clock, maxBytes, onAnswer }: VerificationOptions,
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
      lacksSome ||= !hasContent(answer)
      isWithheld ||= !isPlain && !hasContent(answer)
      return answer
    })(request, context).catch((thrown: unknown) => {
      if (context.cancelled !== undefined) throw context.cancelled
      isWithheld = true
      if (falseAnswerOf(thrown) === undefined) return undefined
      // One of several nodes behind a URL may have a block that another does not have yet.
      throw lacksSome ? new RpcError('unavailable', 'the endpoint lacks a block', { cause: thrown }) : thrown
    })
    if (isVerified(response)) return response!
    // The proof failed or took long, or the node takes no block by its hash: the call as it came decides.
    const isAnswer = response !== undefined && (isAsked || hasContent(response))
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
      const why = falseAnswerOf(thrown)
      if (why === undefined) throw thrown
      onAnswer(name, request.method, 'refused', why)
      // The answer and the question stay out of a message that others may print.
      const code = isLie(thrown) ? 'invalid_response' : 'unavailable'
      throw new RpcError(code, `the answer to ${request.method} does not verify`, { cause: why })
    }
  }
}

/** Wraps the handler of an endpoint as one of a quorum. */
function voterOf({ name, handler }: OpenEndpoint, { clock, latestOf }: VerificationOptions): RpcHandler {
  let silentUntil = Number.NEGATIVE_INFINITY
  // Calls of one moment ask for the same blocks.
  const share = coalesce({ clock, key: ({ method, params }) => `${method} ${params?.text()}` })
  const ask = share(async (request, context) => {
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
  if (latestOf === undefined) return ask
  return (request, context) => {
    // Of a height that is known no hash is believed: a node may have changed forks since.
    const number = request.params?.text() === latest ? latestOf(name) : undefined
    return number === undefined
      ? ask(request, context)
      : Promise.resolve({ result: rawJsonFromValue({ number: printQuantity(number) }) })
  }
}

/** The params of a question for the latest block, as a quorum asks it. */
const latest = '["latest",false]'

function isVerified(response: RpcResponse | undefined): boolean {
  return (verification.of(response?.meta)?.level ?? 'unverifiable') !== 'unverifiable'
}

/** Tells whether a node had what it was asked for: neither an error nor null. */
function hasContent({ result, error }: RpcResponse): boolean {
  return error === undefined && (isStream(result) || result.text() !== 'null')
}
