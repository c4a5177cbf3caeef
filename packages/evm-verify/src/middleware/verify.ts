import {
  type RawJson,
  rawJsonFromValue,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
  type RpcResult,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { describeValue } from '@wayleave/jsonrpc-core/schema'
import type { Anchor, AnchorKind } from '../anchor.ts'
import { VerifyError } from '../error.ts'
import type { VerificationLevel, Verdict } from '../verdict.ts'
import { type Verification, verification } from '../verification.ts'
import type { Check } from './call.ts'
import { checks } from './checks.ts'
import { createEvidence } from './evidence.ts'
import { type Finding, nothingThere, unknown } from './finding.ts'
import { createHeaderCache, type HeaderCache } from './header-cache.ts'
import { heldAnswer } from './held-answer.ts'
import { assertOneReading } from './one-reading.ts'

export interface VerifyOptions {
  /**
   * - `off`: calls pass untouched.
   * - `consistent`: an answer must agree with itself and with what was asked. No further calls.
   * - `proven`: what the proof takes is fetched beside it from the same endpoint, and the answer must follow from the hash
   *   in the question or from the anchor.
   */
  readonly require: VerificationLevel
  /** What `proven` rests on where no hash was asked for. Without one, a block by number or tag cannot be proven. */
  readonly anchor?: Anchor
  /** Proves, with `proven`, that no log is missing, by the receipts of each block that may hold one. */
  readonly logs?: 'receipts'
  /** What becomes of an answer that nothing can be told of, or less than is required. Default: `reject` with `proven`, else `pass`. */
  readonly unverifiable?: 'pass' | 'reject'
  /** What becomes of methods that are not verified: `reject` refuses them unasked, writes too. Default `pass`. */
  readonly others?: 'pass' | 'reject'
  /** Hears what was found of each answer. What it throws surfaces on its own. */
  readonly onVerdict?: (verdict: Verdict, method: string, anchor: AnchorKind) => void
  /** Longest answer that is held, and the most that its proof may take together, in bytes. Default 32 MiB. */
  readonly maxBytes?: number
  /** Most calls that one proof may take, those of a quorum among them. Default 512. */
  readonly maxCalls?: number
  /** How many verified headers are kept. Default 512. */
  readonly maxHeaders?: number
}

/**
 * Verifies what the read methods of blocks, transactions, receipts, logs and state answer; all other calls pass untouched. An
 * answer passes byte for byte, with its `verification`; errors and null pass, for nobody can show that something is not there.
 * Rejects with an `RpcError`: `invalid_response` for what is false or cannot be verified as required, its `cause` a `VerifyError`
 * with the member; `too_large` past a cap; `denied` for other methods where the options say so.
 */
export function verify(options: VerifyOptions): RpcMiddleware<RpcContext> {
  const { require, anchor, others = 'pass', maxHeaders = 512 } = options
  assertAnchor(anchor)
  const headers = createHeaderCache(maxHeaders)
  return (next) => {
    if (require === 'off') return next
    return (request, context) => {
      const check = checks.get(request.method)
      if (check !== undefined) return verified(check, { ...options, next, request, context, headers })
      if (others === 'pass') return next(request, context)
      const message = `${request.method}: no proof covers its answers, and only such calls may be made`
      return Promise.reject(new RpcError('denied', message, { delivery: 'not_sent' }))
    }
  }
}

interface VerifiedCall extends VerifyOptions {
  readonly next: RpcHandler
  readonly request: RpcRequest
  readonly context: RpcContext
  readonly headers: HeaderCache
}

async function verified(check: Check, call: VerifiedCall): Promise<RpcResponse> {
  const { next, request, require, logs, anchor, headers, maxBytes = 32 * 1024 * 1024, maxCalls = 512 } = call
  const fork = call.context.fork({ acceptStream: false })
  const { context } = fork
  let response: RpcResponse | undefined
  let held: RawJson | undefined

  async function ask(method: string = request.method, params?: readonly unknown[]): Promise<unknown> {
    const asked = params === undefined ? request : { ...request, method, params: rawJsonFromValue(params) }
    response = await next(asked, context)
    if (response.error !== undefined) return undefined
    held = await heldAnswer(response, maxBytes)
    return held.value()
  }

  try {
    const evidence =
      require === 'proven' ? createEvidence({ next, context, anchor, headers, maxCalls, maxBytes }) : undefined
    const params: unknown = request.params?.value() ?? []
    const provesLogs = logs === 'receipts'
    const found = Array.isArray(params)
      ? await check({ method: request.method, params, evidence, provesLogs, ask }).catch(findingOf)
      : unknown('what params by their names ask for is not known here')
    // What cannot be proven is asked for all the same: null and errors need no proof.
    if (response === undefined) await ask()
    const answered = response as unknown as RpcResponse
    if (held === undefined) return answered
    const finding = readingOf(held) ?? found
    const isNull = found === nothingThere || (held.value() === null && finding.verdict.ok === undefined)
    tell(call, finding)
    if (!isNull) assertGood(call, finding, params)
    const meta = verification.on(answered.meta ?? {}, summaryOf(finding))
    return { ...(answered as RpcResult), result: held, meta }
  } finally {
    // Whatever a proof still waits for is not needed any more.
    fork.cancel(new RpcError('aborted', 'the call has settled'))
  }
}

/** What a check threw, as a finding. */
function findingOf(thrown: unknown): Finding {
  if (!(thrown instanceof VerifyError)) throw toRpcError(thrown, 'invalid_response', 'the answer could not be verified')
  const { code, field, message } = thrown
  if (code === 'unproven' || code === 'unsupported') return unknown(message)
  return { verdict: { ok: false, reason: message, field }, anchor: 'none' }
}

/** A finding where another parser may read another answer than was verified. */
function readingOf(held: RawJson): Finding | undefined {
  try {
    assertOneReading(held.text(), held.value())
    return undefined
  } catch (thrown) {
    return findingOf(thrown)
  }
}

function assertGood(call: VerifiedCall, { verdict }: Finding, params: unknown): void {
  const { require, unverifiable = require === 'proven' ? 'reject' : 'pass' } = call
  if (verdict.ok === false)
    throw rejection(call.request, params, new VerifyError('mismatch', verdict.field, verdict.reason))
  if (unverifiable === 'pass') return
  if (verdict.ok === undefined) throw rejection(call.request, params, new VerifyError('unproven', '', verdict.reason))
  if (require === 'consistent' || verdict.level === 'proven') return
  const reason = 'the answer agrees with itself, and nothing proves it'
  throw rejection(call.request, params, new VerifyError('unproven', '', reason))
}

function rejection({ method }: RpcRequest, params: unknown, cause: VerifyError): RpcError {
  const told = Array.isArray(params) ? params.slice(0, 2) : [params]
  const call = `${method}(${told.map(describeValue).join(', ')})`
  return new RpcError('invalid_response', `${call}: ${cause.message}`, { cause })
}

function summaryOf({ verdict, anchor }: Finding): Verification {
  if (verdict.ok === true) return { level: verdict.level, anchor, fields: verdict.fields }
  const fields = verdict.ok === undefined ? verdict.fields : {}
  return { level: 'unverifiable', anchor, fields, reason: verdict.reason }
}

function tell({ onVerdict, request }: VerifiedCall, { verdict, anchor }: Finding): void {
  try {
    onVerdict?.(verdict, request.method, anchor)
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown
    })
  }
}

function assertAnchor(anchor: Anchor | undefined): void {
  if (anchor === undefined || !('quorum' in anchor)) return
  const { handlers, atLeast } = anchor.quorum
  if (Number.isInteger(atLeast) && atLeast > 0 && atLeast <= handlers.length) return
  throw new TypeError(`anchor.quorum.atLeast: expected 1 to ${handlers.length}, the number of handlers, got ${atLeast}`)
}
