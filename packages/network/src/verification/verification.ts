import { printQuantity } from '@wayleave/evm-types'
import { type Anchor, type Offload, verification, verify, type VerifyError } from '@wayleave/evm-verify'
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
import type { VerificationOutcome } from '../upstreams/upstream-counts.ts'
import { type Ballots, createBallots } from './ballots.ts'
import { isCheckFailure } from './check-queue.ts'
import type { OpenEndpoint } from '../endpoints/endpoints.ts'
import { falseAnswerOf, isInvalid } from '../kinds/false-answer.ts'
import { hasCompleteBlooms } from './complete-blooms.ts'
import { isWhole } from './is-whole.ts'
import { hintsOf } from '../hints/call-hints.ts'
import { createBlockVotes, type BlockVotes } from './block-votes.ts'

export interface VerificationOptions {
  readonly clock: Clock
  /** The chain of the network, if it is known. */
  readonly chainId?: number | undefined
  /** Longest answer that is held, and the most that its proof may take, in bytes. */
  readonly maxBytes: number
  /** The latest block of an endpoint, by name, as far as it is known: its vote, without a call. Default: each is asked. */
  readonly latestOf?: (endpoint: string) => number | undefined
  /** Names the node that an endpoint reaches, by the endpoint's name: each has one vote. Default: each endpoint reaches its own. */
  readonly nodeOf?: (endpoint: string) => string
  /** Called with each answer that was looked at, and with the reason where it was refused. */
  readonly onAnswer: (endpoint: string, method: string, outcome: VerificationOutcome, why?: VerifyError) => void
  /** Called with an endpoint whose earlier answer a proven one has shown to be false. */
  readonly onInvalid?: (endpoint: string, method: string) => void
  /** Checks long answers elsewhere. Default: here. */
  readonly offload?: Offload | undefined
}

/** Most blocks of a range whose logs are proven: a header of each, and two further calls for each that may hold logs. */
const maxLogBlocks = 256
/** Most calls of one proof: those of such a range, and a quorum's. */
const maxCalls = 1_024
/** Verified headers that are kept for each endpoint; each takes some 2 kB. */
const maxHeaders = 1_024

/** How long an endpoint may take to name its block, in ms, and no more than a quarter of the time that the call has left. */
const voteTimeoutMs = 2_000
/** How long an endpoint that did not answer is left out, in ms: nobody should wait for it again and again. */
const silenceMs = 10_000

/** Time after which no answer means that an endpoint is silent, in ms. */
const fairVoteMs = 1_000

/** The part of a pool's options that verification decides. */
export interface VerifiedPool extends Required<Pick<PoolOptions, 'isVerified' | 'isLastResort'>> {
  /** Whether an answer was proven. */
  isProven(response: RpcResponse): boolean
  readonly endpoints: readonly Endpoint[]
}

/**
 * Wraps endpoints that are configured so in a handler that rejects a false answer with `invalid_response`. A proof rests on a hash in
 * the question, or on the word of most endpoints, two at least. An answer that is not proven has to agree with itself, and waits until
 * another endpoint proves one, most endpoints have given the same, or all were asked: so a network stays of use where nobody can prove.
 */
export function verifyEndpoints(endpoints: readonly OpenEndpoint[], options: VerificationOptions): VerifiedPool {
  const { nodeOf = (name) => name } = options
  const nodes = endpoints.map(({ name }) => nodeOf(name))
  const voters = endpoints.filter((_, i) => nodes.indexOf(nodes[i]!) === i)
  const handlers = voters.map((endpoint) => voterOf(endpoint, options))
  const atLeast = Math.floor(handlers.length / 2) + 1
  const quorum =
    handlers.length < 2
      ? undefined
      : {
          anchor: { quorum: { handlers, atLeast } },
          ballots: createBallots(atLeast, nodeOf),
          blockVotes: createBlockVotes(handlers, atLeast, options.clock),
        }
  const ballotStates: BallotStates = new WeakMap()
  return {
    endpoints: endpoints.map((endpoint) =>
      endpoint.verify === 'off'
        ? endpoint
        : { ...endpoint, handler: verified(endpoint, quorum, ballotStates, options) },
    ),
    isVerified,
    isProven,
    isLastResort(response, spare) {
      const ballotState = ballotStates.get(response)
      return ballotState === undefined ? spare !== undefined && !hasContent(response) : ballotState === 'waits'
    },
  }
}

/** Answers that count at once, and those that wait until the other endpoints were asked. */
type BallotStates = WeakMap<RpcResponse, 'counts' | 'waits'>

interface Quorum {
  readonly anchor: Anchor
  readonly ballots: Ballots
  readonly blockVotes: BlockVotes
}

/** Longest wait for the votes on a block behind its proof, in ms: a node that is silent must not hold up what others have proven. */
const votesMs = 50

/** Returns the hash of the block at which the gateway, and not the caller, had a call ask. */
function chosenHash(request: RpcRequest): string | undefined {
  const { original, isPinned } = hintsOf(request)
  if (original === undefined && !isPinned) return undefined
  const text = request.params?.text() ?? ''
  return (/"blockHash":"(0x[\da-f]{64})"/.exec(text) ?? /^\["(0x[\da-f]{64})"/.exec(text))?.[1]
}

function verified(
  { name, handler, verify: level }: OpenEndpoint,
  quorum: Quorum | undefined,
  ballotStates: BallotStates,
  { clock, chainId, maxBytes, onAnswer, onInvalid, offload }: VerificationOptions,
): RpcHandler {
  const bounds = { maxBytes, ...(offload && { offload }) }
  const check = verify({ require: 'consistent', ...bounds })
  const prove = verify({
    require: 'proven',
    unverifiable: 'pass',
    ...bounds,
    maxCalls,
    maxHeaders,
    ...(quorum && { anchor: quorum.anchor }),
    ...(quorum && hasCompleteBlooms(chainId) && { logs: 'receipts', maxLogBlocks }),
  })

  /** Decides whether an answer counts at once, and tells of those that it refutes. */
  function weigh(request: RpcRequest, response: RpcResponse, isProof: boolean, isWithheld: boolean): RpcResponse {
    if (quorum === undefined || response.error !== undefined || isStream(response.result)) {
      if (isWithheld) ballotStates.set(response, 'waits')
      return response
    }
    const found = verification.of(response.meta)
    if (found === undefined) return response
    const answer = response.result.value()
    if (isProof && isWhole(request, found)) {
      ballotStates.set(response, 'counts')
      for (const [liar, why] of quorum.ballots.refutedBy(request, answer, found)) {
        onAnswer(liar, request.method, 'refused', why)
        onInvalid?.(liar, request.method)
      }
    }
    // Nobody can prove a block that is not there yet.
    else if (!isPending(request)) {
      ballotStates.set(response, quorum.ballots.add(request, name, answer) ? 'counts' : 'waits')
    }
    return response
  }

  /** Says that most nodes have the block that the gateway chose, where they do: the hash alone shows no more than its contents. */
  async function anchored(response: RpcResponse, isHeld: Promise<boolean>): Promise<RpcResponse> {
    const found = verification.of(response.meta)
    if (found?.level !== 'proven' || found.anchor !== 'question') return response
    if (!(await inTime(isHeld))) return response
    return { ...response, meta: verification.on(response.meta!, { ...found, anchor: 'quorum' }) }
  }

  function inTime(isHeld: Promise<boolean>): Promise<boolean> {
    return new Promise((resolve) => {
      const stop = clock.after(votesMs, () => resolve(false))
      void isHeld.then((is) => {
        stop()
        resolve(is)
      })
    })
  }

  async function proving(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
    const chosen = chosenHash(request)
    const isHeld = chosen === undefined ? undefined : quorum?.blockVotes.have(chosen)
    const proofEnds = (clock.now() + context.deadline) / 2
    let isAsked = false
    let hasFailed = false
    let lacksSome = false
    let isWithheld = false
    const response = await prove(async (inner, at) => {
      const isPlain = inner === request
      isAsked ||= isPlain
      const ask = isPlain ? handler : timeout(proofEnds - clock.now(), { clock })(handler)
      const answer = await ask(inner, at).catch((thrown: unknown) => {
        hasFailed ||= isPlain
        throw thrown
      })
      lacksSome ||= !hasContent(answer)
      isWithheld ||= !isPlain && !hasContent(answer)
      return answer
    })(request, context).catch((thrown: unknown) => {
      if (context.cancelled !== undefined) throw context.cancelled
      // The node may have done the call as it came: it must not get it twice.
      if (hasFailed) throw thrown
      if (isCheckFailure(thrown) || (thrown instanceof RpcError && thrown.code === 'denied')) throw thrown
      isWithheld = true
      if (falseAnswerOf(thrown) === undefined) return undefined
      // One of several nodes behind a URL may have a block that another does not have yet.
      throw lacksSome ? new RpcError('unavailable', 'the endpoint lacks a block', { cause: thrown }) : thrown
    })
    if (isVerified(response)) {
      const proven = isHeld === undefined ? response! : await anchored(response!, isHeld)
      return weigh(request, proven, true, isWithheld)
    }
    // The proof failed or took long, or the node takes no block by its hash: the call as it came decides.
    const isAnswer = response !== undefined && (isAsked || hasContent(response))
    const checked = await check(isAnswer ? async () => response : handler)(request, context)
    return weigh(request, checked, false, isWithheld)
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
      const code = isInvalid(thrown) ? 'invalid_response' : 'unavailable'
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
      // One that had little time, since its caller has, may be as quick as ever.
      const isReported = timeoutMs >= fairVoteMs || !(thrown instanceof RpcError && thrown.code === 'timeout')
      if (context.cancelled === undefined && isReported) silentUntil = clock.now() + silenceMs
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

/** Tells whether an answer was proven as a whole. */
export function isProven({ meta }: RpcResponse): boolean {
  return verification.of(meta)?.level === 'proven'
}

function isVerified(response: RpcResponse | undefined): boolean {
  return (verification.of(response?.meta)?.level ?? 'unverifiable') !== 'unverifiable'
}

/** Tells whether a question is about the pending block. */
function isPending({ params }: RpcRequest): boolean {
  return params?.text().includes('"pending"') === true
}

/** Tells whether a node had what it was asked for: neither an error nor null. */
function hasContent({ result, error }: RpcResponse): boolean {
  return error === undefined && (isStream(result) || result.text() !== 'null')
}
