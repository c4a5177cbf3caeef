import type { Client } from '@wayleave/client'
import { type AnchorKind, type FieldReport, type Verdict, verify, VerifyError } from '@wayleave/evm-verify'
import type { Block, Hash } from '@wayleave/evm-types'
import { createRpcClient, isStream, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import type { Question, Subject } from './verify-subject.ts'

/** The level to which a member is known, or `refused` if it is false. */
type RowLevel = FieldReport[string] | 'refused'

/** One member: its level, the node's claim, and the value recomputed from other members or from a proof. */
export interface Row {
  readonly field: string
  /** Undefined if another member is already false. */
  readonly level: RowLevel | undefined
  readonly claimed: unknown
  readonly recomputed: string | undefined
}

/** The result of verifying a subject. */
export interface Outcome {
  readonly verdict: 'proven' | 'consistent' | 'unverifiable' | 'refused'
  /** The text of the last line. */
  readonly reason: string
  /** The false member. */
  readonly field?: string
  /** The hash of the block that was asked about. */
  readonly block?: Hash
  readonly rows: readonly Row[]
}

export interface RunOptions {
  readonly client: Client
  /** The hash that the caller vouches for. */
  readonly anchor: Hash | undefined
  readonly timeoutMs: number
}

/** Asks the questions of a subject and verifies the answers. @throws RpcError if there is no answer */
export async function runVerify(subject: Subject, options: RunOptions): Promise<Outcome> {
  const block = subject.block === undefined ? undefined : await locate(subject.block, options)
  if (block !== undefined && 'verdict' in block) return block
  const rows: Row[] = []
  let weakest: Outcome['verdict'] = 'proven'
  let reason = ''
  for (const question of subject.questions(block?.hash)) {
    const found = await ask(question, options)
    const { verdict, anchor } = found
    rows.push(...rowsOf(question, found, block?.by === 'node'))
    if (verdict.ok === false) {
      const field = verdict.field === '' ? question.name : `${question.path}${verdict.field}`
      return { verdict: 'refused', field, reason: verdict.reason, ...blockOf(block), rows }
    }
    if (weakest === 'unverifiable') continue
    if (verdict.ok === undefined) [weakest, reason] = ['unverifiable', unknownReason(question, found, verdict.reason)]
    else if (verdict.level === 'consistent')
      [weakest, reason] = ['consistent', 'it agrees with itself and with what was asked']
    else if (weakest === 'proven') reason = wordsOf(block?.by === 'anchor' ? 'hash' : anchor)
  }
  if (weakest === 'proven' && block?.by === 'node') {
    weakest = 'consistent'
    reason = `with block ${block.hash}, which the node itself names; --anchor ${block.hash} says that you vouch for it`
  }
  return { verdict: weakest, reason, ...blockOf(block), rows }
}

/** Explains why an answer can be neither proven nor refused. */
function unknownReason({ name }: Question, { answer }: Found, reason: string): string {
  return answer === null ? `the node has no such ${name}, or says so: that nobody can check` : reason
}

interface Located {
  readonly hash: Hash
  /** The source of the hash. */
  readonly by: 'question' | 'anchor' | 'node'
}

function blockOf(block: Located | undefined): { readonly block?: Hash } {
  return block === undefined ? {} : { block: block.hash }
}

/** Finds the block's hash, by which everything else is asked. With an anchor, the block must be a proven ancestor of it. */
async function locate({ parameter }: NonNullable<Subject['block']>, options: RunOptions): Promise<Located | Outcome> {
  const { anchor } = options
  if (parameter === undefined && anchor !== undefined) return { hash: anchor, by: 'anchor' }
  const block = parameter ?? 'latest'
  // Nodes give a pending block no hash of its own.
  if (block === 'pending') return { verdict: 'unverifiable', reason: 'the pending block can change', rows: [] }
  if (block.length === 66) return { hash: block as Hash, by: block === anchor ? 'anchor' : 'question' }
  const found = await ask(
    { name: 'block', path: '', method: 'eth_getBlockByNumber', params: [block, false], recompute: () => ({}) },
    options,
  )
  const { verdict } = found
  const hash = (found.answer as Block | null | undefined)?.hash
  if (verdict.ok === false) return { verdict: 'refused', field: verdict.field, reason: verdict.reason, rows: [] }
  if (hash == null) return { verdict: 'unverifiable', reason: `the node has no block ${block} with a hash`, rows: [] }
  if (anchor === undefined) return { hash, by: 'node' }
  if (verdict.ok === true && verdict.level === 'proven') return { hash, by: 'anchor' }
  return { verdict: 'unverifiable', reason: verdict.ok === undefined ? verdict.reason : 'no proof', rows: [] }
}

interface Found {
  readonly verdict: Verdict
  readonly anchor: AnchorKind
  /** The node's answer, right or wrong. */
  readonly answer: unknown
  readonly recomputed: Readonly<Record<string, string>>
  readonly claimed: Readonly<Record<string, unknown>>
}

async function ask(question: Question, { client, anchor, timeoutMs }: RunOptions): Promise<Found> {
  const fetched = new Map<string, unknown>()
  const recording: RpcHandler = async (request, context) => {
    const response = await client.handler(request, context)
    if (response.error === undefined && !isStream(response.result)) {
      fetched.set(request.method, response.result.value())
    }
    return response
  }
  let verdict: Verdict = { ok: undefined, reason: 'nothing was looked at', fields: {} }
  let kind: AnchorKind = 'none'
  const verified = verify({
    require: 'proven',
    unverifiable: 'pass',
    ...(anchor === undefined ? {} : { anchor: { blockHash: anchor } }),
    onVerdict: (found, _method, by) => ([verdict, kind] = [found, by]),
  })(recording)
  try {
    await createRpcClient(verified, { timeoutMs }).requestUnchecked(question.method, question.params)
  } catch (thrown) {
    if (!(thrown instanceof RpcError && thrown.cause instanceof VerifyError)) throw thrown
  }
  const answer = fetched.get(question.method)
  const claimed = question.claim?.(answer, fetched) ?? claimedIn(answer, question.name)
  return { verdict, anchor: kind, answer, claimed, recomputed: attempt(() => question.recompute(answer, fetched)) }
}

/** Returns the members of an object; any other answer becomes one member called `name`. */
function claimedIn(answer: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer as Record<string, unknown>
  return { [name]: answer }
}

/** Recomputes nothing from a malformed answer; the verdict already tells what is wrong with it. */
function attempt(recompute: () => Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    return recompute()
  } catch (thrown) {
    if (thrown instanceof VerifyError || thrown instanceof TypeError) return {}
    throw thrown
  }
}

function rowsOf(question: Question, { verdict, claimed, recomputed }: Found, isNamedByNode: boolean): Row[] {
  const reported: FieldReport = verdict.ok === false ? { [verdict.field]: 'unverifiable' } : verdict.fields
  const fields: Record<string, RowLevel | undefined> = {}
  for (const name of Object.keys(recomputed)) fields[name] = verdict.ok === false ? undefined : 'proven'
  for (const [path, level] of Object.entries(reported)) {
    const name = path === '' ? question.name : `${question.path}${path}`
    fields[name] = verdict.ok === false ? 'refused' : level
  }
  return Object.entries(fields).map(([field, level]) => {
    const [says, is] = [claimed[field], recomputed[field]]
    const differs = is !== undefined && says !== undefined && String(says).toLowerCase() !== is.toLowerCase()
    const known = level === 'proven' && isNamedByNode ? 'consistent' : level
    return {
      field,
      level: verdict.ok === false && differs ? 'refused' : known,
      claimed: says,
      recomputed: is,
    }
  })
}

function wordsOf(anchor: AnchorKind): string {
  return anchor === 'hash' ? 'by the block that --anchor names' : 'by the hash that was asked for'
}
