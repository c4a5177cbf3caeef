import {
  isStream,
  type RpcContext,
  RpcError,
  type RpcFork,
  type RpcRequest,
  type RpcResponse,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { discard } from '../discard.ts'
import { patienceMs } from '../failsafe/hedging.ts'
import { wasUnasked } from '../no-answer.ts'
import type { Candidate } from '../selection/candidate.ts'
import { type Agreement, type Ballot, type BallotBox, type Compare, createBallotBox } from './ballot.ts'
import { consensusOutcome, type ConsensusOptions, type ConsensusOutcome } from './consensus-options.ts'

/** An upstream that was asked and has not answered. */
interface Asked {
  readonly candidate: Candidate
  readonly fork: RpcFork<RpcContext>
  /** Whether it has been silent for longer than it usually is. */
  isSilent: boolean
  stopWaiting: () => void
}

/** The part of a call's time that is left for its end, at most so many ms: a dispute is then told, not a timeout. */
const endShare = 0.1
const mostEndMs = 100
/** The reason why a question is given up whose call has its answer. */
const decided: RpcError = new RpcError('aborted', 'the other upstreams have agreed')

/** One call that several upstreams are asked, until enough of their answers agree. */
export class Poll {
  readonly #options: ConsensusOptions
  readonly #request: RpcRequest
  readonly #context: RpcContext
  readonly #resolve: (response: RpcResponse) => void
  readonly #reject: (why: unknown) => void
  readonly #left: Candidate[]
  readonly #box: BallotBox
  readonly #pending = new Set<Asked>()
  #asked = 0
  #refusal: RpcResponse | undefined
  #failure: RpcError | undefined
  /** The answer on which enough agree; undefined before. */
  #given: RpcResponse | undefined
  #isOver = false
  #stopLate: (() => void) | undefined

  constructor(
    options: ConsensusOptions,
    compare: Compare,
    request: RpcRequest,
    context: RpcContext,
    candidates: readonly Candidate[],
    resolve: (response: RpcResponse) => void,
    reject: (why: unknown) => void,
  ) {
    this.#options = options
    this.#request = request
    this.#context = context
    this.#left = [...candidates]
    this.#box = createBallotBox(request, compare, options.rulesOf(request.method), options.agreement)
    this.#resolve = resolve
    this.#reject = reject
  }

  start(): void {
    // An answer that cannot be agreed on is not paid for.
    if (this.#left.length < this.#options.agreement) return this.#fail('too_few', this.#tooFew())
    this.#goOn()
  }

  /** Asks further upstreams where they are needed, or ends the call. */
  #goOn(): void {
    if (this.#isOver) return
    const { agreement, participants } = this.#options
    const same = this.#box.largest('same')
    if (same !== undefined && same.ballots.length >= agreement) return this.#agree(same)
    while (this.#left.length > 0 && this.#box.ballots.length + this.#active < participants) this.#ask()
    // Answers that are only alike wait for those that may decide where they differ, but not for silent ones.
    const hasAlike = (this.#box.largest('alike')?.ballots.length ?? 0) >= agreement
    if (hasAlike ? this.#active === 0 : this.#pending.size === 0) this.#conclude()
  }

  /** Those that may still answer within their usual time. */
  get #active(): number {
    let count = 0
    for (const { isSilent } of this.#pending) if (!isSilent) count++
    return count
  }

  #ask(): void {
    const { clock, pool, askOnly, classOf } = this.#options
    const candidate = this.#left.shift()!
    const now = clock.now()
    const leftMs = this.#context.deadline - now
    const deadline = this.#context.deadline - Math.min(mostEndMs, Math.max(0, leftMs) * endShare)
    const fork = this.#context.fork({ deadline, acceptStream: false })
    const asked: Asked = { candidate, fork, isSilent: false, stopWaiting: () => {} }
    asked.stopWaiting = clock.after(patienceMs(candidate, classOf(this.#request)), () => {
      asked.isSilent = true
      this.#goOn()
    })
    this.#pending.add(asked)
    const isExtra = this.#asked++ > 0
    pool(askOnly(this.#request, candidate, isExtra), fork.context)
      .then(
        (response) => this.#answered(asked, response),
        (thrown: unknown) => this.#failed(asked, thrown),
      )
      .catch((thrown: unknown) => this.#broken(thrown))
  }

  #leave(asked: Asked): void {
    this.#pending.delete(asked)
    asked.stopWaiting()
    asked.fork.release()
    if (this.#isOver && this.#pending.size === 0) this.#stopLate?.()
  }

  #answered(asked: Asked, response: RpcResponse): void {
    this.#leave(asked)
    const isRefused = this.#options.isRefusal(this.#request, response, asked.candidate)
    const ballot: Ballot = { candidate: asked.candidate, response }
    if (this.#isOver) {
      if (!isRefused && this.#given !== undefined) this.#judge(ballot, this.#given)
      return discard(response)
    }
    if (isRefused) this.#refusal ??= response
    else this.#box.add(ballot)
    this.#goOn()
  }

  #failed(asked: Asked, thrown: unknown): void {
    this.#leave(asked)
    const why = toRpcError(thrown, 'unavailable', 'the endpoint failed')
    if (wasUnasked(why)) this.#asked--
    this.#failure ??= why
    const { cancelled } = this.#context
    if (cancelled !== undefined) return this.#fail('failed', cancelled)
    this.#goOn()
  }

  /** Gives the answer of those that agree, and judges the others. */
  #agree({ response, ballots }: Agreement): void {
    this.#given = response
    this.#give('agreed', response)
    for (const ballot of this.#box.ballots) if (!ballots.includes(ballot)) this.#judge(ballot, response)
    const { clock, lateMs = 2_000 } = this.#options
    if (this.#pending.size > 0) this.#stopLate = clock.after(lateMs, () => this.#cancelPending())
  }

  /** Tells of an upstream whose result differs from the agreed one. */
  #judge(ballot: Ballot, given: RpcResponse): void {
    if (!isClaim(ballot.response) || !isClaim(given) || this.#box.agrees(ballot, given)) return
    this.#options.onDiffers?.(ballot.candidate, this.#request)
  }

  /** Ends a call whose upstreams have all told what they can. */
  #conclude(): void {
    const { agreement, onDispute, isVerified, hasHead } = this.#options
    const { ballots } = this.#box
    const alike = this.#box.largest('alike')
    if (alike === undefined) {
      if (this.#refusal !== undefined) return this.#give('failed', this.#refusal)
      return this.#fail('failed', this.#failure ?? this.#tooFew())
    }
    if (alike.ballots.length >= agreement) return this.#agree(alike)
    if (alike.ballots.length === ballots.length) return this.#fail('too_few', this.#tooFew())

    const verified = onDispute === 'verified' ? ballots.find(({ response }) => isVerified?.(response)) : undefined
    if (verified !== undefined) return this.#give('verified', verified.response)
    const owner = onDispute === 'head' ? ballots.find(({ candidate }) => hasHead?.(candidate)) : undefined
    if (owner !== undefined) return this.#give('head', owner.response)
    const text = `upstreams disagree on the answer: ${alike.ballots.length} of ${ballots.length} gave the same, ${agreement} are needed`
    this.#fail('disputed', new RpcError('unavailable', text))
  }

  #tooFew(): RpcError {
    const { agreement } = this.#options
    const count = this.#box.ballots.length
    const text = `too few upstreams answered to compare their answers: ${count}, and ${agreement} are needed`
    return new RpcError('unavailable', text, { delivery: 'not_sent' })
  }

  #give(outcome: ConsensusOutcome, response: RpcResponse): void {
    this.#isOver = true
    this.#resolve({ ...response, meta: consensusOutcome.on({ ...response.meta, attempts: this.#asked }, outcome) })
    this.#options.onOutcome?.(outcome, this.#request)
    if (outcome !== 'agreed') this.#cancelPending()
  }

  #fail(outcome: ConsensusOutcome, why: RpcError): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#reject(why)
    this.#cancelPending()
    this.#options.onOutcome?.(outcome, this.#request)
  }

  /** Ends a call where a function of the host has thrown. */
  #broken(thrown: unknown): void {
    this.#fail('failed', toRpcError(thrown, 'unavailable', 'the comparison of answers failed'))
  }

  #cancelPending(): void {
    for (const { fork } of this.#pending) fork.cancel(decided)
  }
}

/** The length of the longest empty answer: `null`, `"0x"`, `[]`. */
const emptyBytes = 4

/** Whether an answer claims something: errors and empty results may only mean that an upstream lacks something. */
function isClaim({ result }: RpcResponse): boolean {
  return result !== undefined && !isStream(result) && result.byteLength > emptyBytes
}
