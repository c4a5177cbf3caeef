import { classifyNodeError, type Hash, type Hex, type NodeErrorKind, transactionHash } from '@wayleave/evm-types'
import {
  isStream,
  type RpcContext,
  RpcError,
  type RpcErrorObject,
  rawJsonFromValue,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import type { Write, WriteOutcome } from '@wayleave/upstream'
import { shortened } from '@wayleave/telemetry'
import { createSentHashes } from './sent-hashes.ts'

/** A transaction that a call sends in its network form. */
interface Sent {
  readonly hash: Hash
  /** Whether the call waits for the receipt (EIP-7966). */
  readonly isSync: boolean
  readonly hasBlobs: boolean
}

/** The types whose hash is known: legacy, EIP-2930, EIP-1559, EIP-4844, EIP-7702. Chains hash types of their own as they like. */
const rawTransaction = /^\s*\[\s*"0x(?:0[1-4])?[c-f][\da-f](?:[\da-f]{2})*"/i

/**
 * Makes the function that describes the calls that send transactions of one network. A signed transaction without blobs may go to several
 * nodes, and at once to `broadcast` of them; one with blobs is too long for that, and `eth_sendRawTransactionSync` waits for its receipt.
 */
export function createEvmWrites(
  broadcast: number,
): (request: RpcRequest, context: Pick<RpcContext, 'tenant'>) => Write | undefined {
  const hashes = createSentHashes()
  return (request, { tenant }) => {
    if (request.method === 'eth_sendTransaction') return unsigned
    const sent = readSent(request)
    if (sent === undefined) return undefined
    const isIdempotent = !sent.isSync && !sent.hasBlobs
    /** The words of a node that tell nobody whether it has the transaction. */
    let reason: string | undefined
    return {
      isIdempotent,
      broadcast: isIdempotent ? broadcast : 1,
      ...hashes.call(sent.hash, tenant),
      outcomeOf(response, ask) {
        const { error } = response
        if (error === undefined) return judge(sent, response)
        const kind = classifyNodeError(error)
        if (kind === 'unknown' && isIdempotent) reason = shortened(String(error.message))
        return explain(sent, kind, response, error, ask)
      },
      inDoubt: (why) => maybeSent(why, sent.hash, reason),
    }
  }
}

/** Digits of the longest transaction without blobs that nodes take, 128 KiB. Source: go-ethereum core/txpool/legacypool, `txMaxSize`. */
const mostDigits = 2 * 128 * 1024 + 2

/** Tells a call whose one transaction may be sent to several nodes. */
export function isRepeatableTransaction(request: RpcRequest): boolean {
  if (request.method !== 'eth_sendRawTransaction') return false
  const text = request.params?.text() ?? ''
  return text.length <= mostDigits + '[""]'.length && repeatable.test(text)
}
const repeatable = /^\s*\[\s*"0x(?:0[124])?[c-f][\da-f](?:[\da-f]{2})*"\s*\]\s*$/i

/** A transaction that the node signs: nobody knows its hash before, and a second one would be another. Its errors are told as they come. */
const unsigned: Write = {
  isIdempotent: false,
  broadcast: 1,
  mayBeDone: () => false,
  begin: () => {},
  end: () => {},
  outcomeOf: (response) => (response.error === undefined ? { kind: 'done', response } : { kind: 'refused' }),
  inDoubt: (why) => maybeSent(why, undefined),
}

function readSent({ method, params }: RpcRequest): Sent | undefined {
  const isSync = method === 'eth_sendRawTransactionSync'
  if ((!isSync && method !== 'eth_sendRawTransaction') || params === undefined) return undefined
  const text = params.text()
  if (!rawTransaction.test(text)) return undefined
  const [raw] = params.value() as readonly [Hex]
  const hasBlobs = raw.startsWith('0x03')
  const hash = hasBlobs || raw.length <= mostDigits ? transactionHash(raw) : undefined
  return hash && { hash, isSync, hasBlobs }
}

/** Judges a success: it names the transaction by its hash, which the caller gets as it is computed here. */
function judge({ hash, isSync }: Sent, response: RpcResponse): WriteOutcome {
  const reported = valueOf(response)
  const named = isSync ? (Object(reported) as { readonly transactionHash?: unknown }).transactionHash : reported
  if (named === hash) return { kind: 'done', response }
  const isSame = typeof named === 'string' && named.toLowerCase() === hash
  if (isSame) return { kind: 'done', response: isSync ? response : { result: rawJsonFromValue(hash) } }
  return {
    kind: 'false',
    why: new RpcError(
      'invalid_response',
      `expected the hash ${hash} of the transaction that was sent, got another answer`,
    ),
  }
}

/** Kinds of errors after which a node may have taken a transaction all the same. */
const doubtful = new Set<NodeErrorKind>(['timeout', 'unavailable', 'internal'])
/** Kinds that tell of another transaction, which may be this one; `reverted`: by the code under which zkSync refuses all. */
const aboutAnother = new Set<NodeErrorKind>(['nonce_too_low', 'reverted'])

/** Explains an error: the node may have the transaction already, or another one may have used its nonce. */
async function explain(
  { hash, isSync, hasBlobs }: Sent,
  kind: NodeErrorKind,
  response: RpcResponse,
  error: RpcErrorObject,
  ask: (question: RpcRequest) => Promise<RpcResponse>,
): Promise<WriteOutcome> {
  // EIP-7966: the node has it, and its receipt did not come in time; its words and its data say so.
  if (isSync && (error.code === 4 || error.code === 5)) return { kind: 'done', response }
  const isKnown = kind === 'already_known'
  if (isKnown && !isSync) return { kind: 'done', response: { result: rawJsonFromValue(hash) } }
  const isDoubtful = doubtful.has(kind)
  const isOdd = isDoubtful || (kind === 'unknown' && !isSync && !hasBlobs)
  const isAbout = isSync ? kind === 'nonce_too_low' : aboutAnother.has(kind)
  if (!isAbout && !isKnown && !isOdd) return { kind: 'refused' }
  const method = isSync && !isDoubtful ? 'eth_getTransactionReceipt' : 'eth_getTransactionByHash'
  const found = await ask({ method, params: rawJsonFromValue([hash]), notification: false }).catch(() => undefined)
  const value = found && valueOf(found)
  if (value === undefined || value === null) {
    // Its words tell that it has it.
    if (isKnown) return { kind: 'done', response }
    if (value === null && isOdd) return { kind: 'absent', response: withDoubt(error, hash) }
    return { kind: value === null || (!isOdd && kind !== 'nonce_too_low') ? 'refused' : 'unknown' }
  }
  const { hash: own, transactionHash: ofReceipt } = Object(value) as {
    readonly hash?: unknown
    readonly transactionHash?: unknown
  }
  // A transaction without its receipt is no answer to a call that waits for that.
  if ((isSync ? ofReceipt : own) !== hash) return { kind: 'unknown' }
  return { kind: 'done', response: isSync ? found! : { result: rawJsonFromValue(hash) } }
}

function valueOf({ result }: RpcResponse): unknown {
  if (result === undefined) return undefined
  if (!isStream(result)) return result.value()
  result.cancel()
  return undefined
}

/** Tells of a transaction that a node may have: its caller has to look for it, and must not sign another one in its place. */
function doubtOf(hash: Hash | undefined): string {
  const reported = hash === undefined ? 'look for it among those of its sender' : `look for ${hash}`
  return `the transaction may have been sent: ${reported} before you send it again`
}

/** Adds the doubt to a node's error where that has no data of its own; all other members stay. */
function withDoubt(error: RpcErrorObject, hash: Hash): RpcResponse {
  if (error.data !== undefined) return { error }
  const { code, message, raw } = error
  const data = { hash, doubt: doubtOf(hash) }
  return { error: { code, message, data, raw: rawJsonFromValue({ code, message, ...Object(raw?.value()), data }) } }
}

/** Makes the error of a transaction that a node may have. */
function maybeSent(why: RpcError, hash: Hash | undefined, reason?: string): RpcError {
  const message = doubtOf(hash)
  return new RpcError(why.code === 'timeout' ? 'timeout' : 'unavailable', `${why.message}; ${message}`, {
    cause: why,
    rpc: { code: -32000, message, ...(hash !== undefined && { data: { hash, reason } }) },
  })
}
