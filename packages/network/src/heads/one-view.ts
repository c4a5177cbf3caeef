import {
  type Clock,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import type { ExclusionReason } from '@wayleave/upstream'
import type { Chain } from './chain.ts'
import { withHints } from '../hints/call-hints.ts'

/** Longest wait for an upstream to reach a block that callers know of, in ms, and time between two looks. */
const patienceMs = 1_500
const lookEveryMs = 50
/** Further answers that a call asks for where other processes told more while it waited for them. */
const mostRounds = 3
/** Longest wait for upstreams to confirm a head that is ahead of them all, in ms. */
const beliefMs = 500
/** Longest wait for the head of the upstream that answered, in ms: the answer is there already. */
const headMs = 300

/** Says for each upstream why it cannot take a call; undefined: it can. */
export type Reasons = (request: RpcRequest, context: RpcContext) => readonly (ExclusionReason | undefined)[]

/**
 * Makes the answers of several upstreams one view: a call that needs what callers were told of waits, for a moment, until an upstream that
 * serves has it, and so does an answer that is ahead of them all.
 */
export function oneView(pool: RpcHandler, chain: Chain, reasons: Reasons, clock: Clock): RpcHandler {
  const { settled } = chain
  if (chain.isLone) return pool

  /** Waits for `isThere`; false where its time has passed. */
  async function wait(isThere: () => boolean, until: number, request: RpcRequest, context: RpcContext) {
    while (!isThere()) {
      if (clock.now() >= until) return false
      const height = chain.needed(request)
      if (height !== undefined) chain.pollSoon(height)
      await pause(Math.min(lookEveryMs, until - clock.now()), context, clock)
      if (context.cancelled !== undefined) throw context.cancelled
    }
    return true
  }

  /**
   * `againMs`: the pause before an upstream that took something back is asked again; `end`: the end of the wait, once it has begun: a first
   * answer that took long is no reason to give up.
   */
  async function serve(request: RpcRequest, context: RpcContext, againMs: number, end?: number): Promise<RpcResponse> {
    const patience = (): number => end ?? Math.min(clock.now() + patienceMs, context.deadline)
    let missing: string | undefined
    let passable: RpcResponse | undefined
    let pauseMs = againMs
    try {
      const answer = await pool(request, context)
      const response = chain.capabilities?.truthful(request, answer) ?? answer
      const ahead = chain.unbelieved(request, response)
      if (ahead !== undefined) {
        // Once it is passed on, it must not be taken back.
        chain.pollSoon(ahead)
        await wait(
          () => chain.believes(request, response),
          Math.min(patience(), clock.now() + beliefMs),
          request,
          context,
        )
      }
      const looked = chain.overtaken(request, response, context.tenant)
      const lost = looked === undefined ? [] : await looked
      missing = chain.takenBack(request, response)
      if (missing === undefined) return response
      const mended =
        lost.length === 0 ? undefined : await mend(request, lost, response.meta?.endpoint, context, patience())
      if (mended !== undefined) return mended
      if (chain.mayPass(request, response)) passable = response
    } catch (thrown) {
      const height = chain.needed(request)
      if (!(thrown instanceof RpcError) || context.cancelled !== undefined || height === undefined) throw thrown
      // Another upstream could answer, if only it had the block.
      if (!reasons(request, context).includes('needs_block')) throw thrown
      missing = `block ${height}`
      pauseMs = 0
    }
    const until = patience()
    const notBefore = clock.now() + pauseMs
    const isThere = (): boolean => clock.now() >= notBefore && reasons(request, context).includes(undefined)
    if (await wait(isThere, until, request, context)) return serve(request, context, againMs * 2, until)
    if (passable !== undefined) return passable
    throw new RpcError('unavailable', `no upstream that answers has ${missing} yet`, { delivery: 'not_sent' })
  }

  /**
   * Sends transactions to the upstream that lacks them, or else to any one, and asks it again; undefined where that does not help at once.
   */
  async function mend(
    request: RpcRequest,
    transactions: readonly RpcRequest[],
    lacking: string | undefined,
    context: RpcContext,
    until: number,
  ): Promise<RpcResponse | undefined> {
    const fork = context.fork({ deadline: until })
    const there = (call: RpcRequest): RpcRequest =>
      lacking === undefined ? call : withHints(call, { pinnedUpstream: lacking })
    const ask = (call: RpcRequest): Promise<RpcResponse | undefined> => pool(call, fork.context).catch(() => undefined)
    try {
      for (const transaction of transactions) {
        if ((await ask(there(transaction))) === undefined) await ask(transaction)
      }
      const response = await ask(there(request))
      if (response === undefined || response.error !== undefined) return undefined
      return chain.takenBack(request, response) === undefined ? response : undefined
    } finally {
      fork.release()
    }
  }

  /**
   * Takes note of what an answer tells beyond its words, as far as that is quickly done: whatever comes of it, the answer is there. Resolves with
   * whether it is outdated by that.
   */
  function noteMore(
    request: RpcRequest,
    response: RpcResponse,
    question: RpcRequest | undefined,
    context: RpcContext,
  ): Promise<boolean> | undefined {
    if (response.error !== undefined) return undefined
    const endpoint = response.meta?.endpoint
    if (question === undefined || endpoint === undefined) {
      return chain.accepted(request, response, context.tenant)?.then(
        () => false,
        () => false,
      )
    }
    const fork = context.fork({ deadline: Math.min(clock.now() + headMs, context.deadline) })
    return pool(withHints(question, { pinnedUpstream: endpoint }), fork.context)
      .then(
        (head) => chain.isOutdated(question, head),
        () => false,
      )
      .finally(() => fork.release())
  }

  return async (request, context) => {
    for (let rest = mostRounds; ; rest--) {
      const question = chain.headAfter(request, context.tenant)
      const response = await serve(request, context, lookEveryMs)
      const noted = noteMore(request, response, question, context)
      if (noted === undefined && (settled === undefined || !chain.reports(request, response))) return response
      const isBehind = await noted
      // A head that others do not know of must not be told; a transaction that was accepted is, and so is a nonce.
      await (noted === undefined ? settled!() : settled?.().catch(() => {}))
      // Callers may have been told more meanwhile, and share this call. An upstream that was behind is not asked again, now that it is known.
      const isOutdated = (isBehind === true && rest === mostRounds) || chain.isOutdated(request, response)
      if (rest === 0 || !isOutdated) return response
    }
  }
}

function pause(ms: number, context: RpcContext, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(ms, () => {
      forget()
      resolve()
    })
    const forget = context.onCancel(() => {
      stop()
      resolve()
    })
  })
}
