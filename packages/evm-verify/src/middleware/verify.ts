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
import type { Offload } from '../offload.ts'
import type { VerificationLevel, Verdict } from '../verdict.ts'
import { type Verification, verification } from '../verification.ts'
import type { Check } from './call.ts'
import { blockChecks } from './check-blocks.ts'
import { logChecks } from './check-logs.ts'
import { rawChecks } from './check-raw.ts'
import { receiptChecks } from './check-receipts.ts'
import { stateChecks } from './check-state.ts'
import { transactionChecks } from './check-transactions.ts'
import { createEvidence } from './evidence.ts'
import { type Finding, nothingThere, unknown, wrong } from './finding.ts'
import { createHeaderCache, type HeaderCache } from './header-cache.ts'
import { heldAnswer } from './held-answer.ts'
import { createJudge } from './judge.ts'
import { assertOneReading } from '../one-reading.ts'

export interface VerifyOptions {
  /**
   * - `off`: calls pass untouched.
   * - `consistent`: an answer must agree with itself and with the question. No further calls.
   * - `proven`: the answer must follow from the hash in the question or from the anchor. The parts of the proof are fetched
   *   from the same endpoint.
   */
  readonly require: VerificationLevel
  /** The source of trust for `proven` if the question has no hash. Without it, a block by number or tag cannot be proven. */
  readonly anchor?: Anchor
  /** With `proven`, proves that no log is missing, by the receipts of each block that may hold one. */
  readonly logs?: 'receipts'
  /**
   * Most blocks of a range whose logs are proven. A longer one rejects as `denied`, with -32602 in the words of services that
   * limit ranges. Default: as many as `maxCalls` allows; a longer one is `unproven`.
   */
  readonly maxLogBlocks?: number
  /**
   * Runs checks of answers longer than 8 KiB, and of unproven logs longer than 64 KiB, elsewhere: a block of 300 transactions takes
   * 0.4 s. Default: here.
   */
  readonly offload?: Offload
  /** The fate of an answer that cannot be verified as far as required. Default: `reject` with `proven`, else `pass`. */
  readonly unverifiable?: 'pass' | 'reject'
  /** The fate of calls to other methods: `reject` refuses them unsent, writes too. Default `pass`. */
  readonly others?: 'pass' | 'reject'
  /** Called with the verdict on each answer. An exception it throws surfaces as an uncaught one. */
  readonly onVerdict?: (verdict: Verdict, method: string, anchor: AnchorKind) => void
  /** Longest answer, and the most that all parts of its proof may take together, in bytes. Default 32 MiB. */
  readonly maxBytes?: number
  /** Most calls for one proof, including those to a quorum. Default 512. */
  readonly maxCalls?: number
  /** Number of verified headers to keep. Default 512. */
  readonly maxHeaders?: number
}

/**
 * Verifies the answers of the read methods of blocks, transactions, receipts, logs and state; all other calls pass untouched.
 * An answer passes byte for byte, with its `verification`. Errors and null pass, because nobody can show that something does
 * not exist. Rejects with an `RpcError`: `invalid_response` for an answer that is false or cannot be verified as required,
 * with a `VerifyError` that names the member as its `cause`; `too_large` past a cap; `denied` for other methods if the
 * options say so.
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

/** The methods whose answers are verified. */
const checks: ReadonlyMap<string, Check> = new Map(
  Object.entries({
    ...blockChecks,
    ...transactionChecks,
    ...receiptChecks,
    ...logChecks,
    ...stateChecks,
    ...rawChecks,
  }),
)

/** The methods that have a value for every account and block. Source: execution-apis. */
const neverNull: ReadonlySet<string> = new Set([
  'eth_getBalance',
  'eth_getCode',
  'eth_getStorageAt',
  'eth_getTransactionCount',
])
const noValue = wrong('', 'expected a value, got null: every account and position has one')

interface VerifiedCall extends VerifyOptions {
  readonly next: RpcHandler
  readonly request: RpcRequest
  readonly context: RpcContext
  readonly headers: HeaderCache
}

async function verified(check: Check, call: VerifiedCall): Promise<RpcResponse> {
  const { next, request, require, logs, anchor, headers, offload, maxLogBlocks } = call
  const { maxBytes = 32 * 1024 * 1024, maxCalls = 512 } = call
  const fork = call.context.fork({ acceptStream: false })
  const { context } = fork
  const judge = createJudge(offload, context)
  let response: RpcResponse | undefined
  let held: RawJson | undefined

  async function askHeld(method = request.method, params?: readonly unknown[]): Promise<RawJson | undefined> {
    const asked = params === undefined ? request : { ...request, method, params: rawJsonFromValue(params) }
    response = await next(asked, context)
    if (response.error !== undefined) return undefined
    return (held = await heldAnswer(response, maxBytes))
  }

  async function ask(method?: string, params?: readonly unknown[]): Promise<unknown> {
    const given = await askHeld(method, params)
    const value = given?.value()
    if (given !== undefined) judge.noteLength(value, given.byteLength)
    return value
  }

  try {
    const evidence =
      require === 'proven' ? createEvidence({ next, context, anchor, headers, judge, maxCalls, maxBytes }) : undefined
    const params: unknown = request.params?.value() ?? []
    const of = { method: request.method, provesLogs: logs === 'receipts', maxLogBlocks, ...judge }
    const found = Array.isArray(params)
      ? await check({ ...of, params, evidence, ask, askHeld: () => askHeld() }).catch(findingOf)
      : unknown('what params by their names ask for is not known here')
    // A call that cannot be proven is made all the same: null and errors need no proof.
    if (response === undefined) await askHeld()
    const answered = response as unknown as RpcResponse
    if (held === undefined) return answered
    const hasValue = held.byteLength > 4 || held.text() !== 'null'
    const finding =
      !hasValue && neverNull.has(request.method)
        ? noValue
        : ((found.isRead === true ? undefined : readingOf(held)) ?? found)
    const isNull = finding === nothingThere || (!hasValue && finding.verdict.ok === undefined)
    report(call, finding)
    if (!isNull) assertGood(call, finding, params)
    const meta = verification.on(answered.meta ?? {}, summaryOf(finding))
    return { ...(answered as RpcResult), result: held, meta }
  } finally {
    // The proof's remaining calls are no longer needed.
    fork.cancel(new RpcError('aborted', 'the call has settled'))
  }
}

/** Turns the error of a check into a finding. */
function findingOf(thrown: unknown): Finding {
  if (!(thrown instanceof VerifyError)) throw toRpcError(thrown, 'invalid_response', 'the answer could not be verified')
  const { code, field, message } = thrown
  if (code === 'unproven' || code === 'unsupported') return unknown(message)
  return { verdict: { ok: false, reason: message, field }, anchor: 'none' }
}

/** The finding if another parser may read another answer than the verified one. */
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
  const reported = Array.isArray(params) ? params.slice(0, 2) : [params]
  const call = `${method}(${reported.map(describeValue).join(', ')})`
  return new RpcError('invalid_response', `${call}: ${cause.message}`, { cause })
}

function summaryOf({ verdict, anchor }: Finding): Verification {
  if (verdict.ok === true) return { level: verdict.level, anchor, fields: verdict.fields }
  const fields = verdict.ok === undefined ? verdict.fields : {}
  return { level: 'unverifiable', anchor, fields, reason: verdict.reason }
}

function report({ onVerdict, request }: VerifiedCall, { verdict, anchor }: Finding): void {
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
