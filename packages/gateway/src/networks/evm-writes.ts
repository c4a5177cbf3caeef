import { classifyNodeError, type Hash, type Hex, transactionHash } from '@wayleave/evm-types'
import { isStream, RpcError, rawJsonFromValue, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import type { Write, WriteOutcome } from '@wayleave/upstream'

/** A transaction that a call sends in its network form. */
interface Sent {
  readonly hash: Hash
  /** Whether the call waits for the receipt (EIP-7966). */
  readonly isSync: boolean
  readonly hasBlobs: boolean
}

/** Transactions that nodes may have, of which no second call says that they failed. */
const mostRemembered = 10_000
/** The types whose hash is known: legacy, EIP-2930, EIP-1559, EIP-4844, EIP-7702. Chains hash types of their own as they like. */
const rawTransaction = /^\s*\[\s*"0x(?:0[1-4])?[c-f][\da-f](?:[\da-f]{2})*"/i

/**
 * Makes the function that describes the calls that send transactions of one network. A signed transaction without blobs may go to several
 * nodes, and at once to `broadcast` of them; one with blobs is too long for that, and `eth_sendRawTransactionSync` waits for its receipt.
 */
export function createEvmWrites(broadcast: number): (request: RpcRequest) => Write | undefined {
  /** The hashes of transactions that a node has, or may have; the last one comes last. */
  const mayHave = new Set<Hash>()
  function remember(hash: Hash): void {
    mayHave.delete(hash)
    if (mayHave.size >= mostRemembered) mayHave.delete(mayHave.values().next().value!)
    mayHave.add(hash)
  }

  function describe(sent: Sent): Write {
    const { hash, isSync, hasBlobs } = sent
    const isIdempotent = !isSync && !hasBlobs
    return {
      isIdempotent,
      broadcast: isIdempotent ? broadcast : 1,
      mayBeDone: mayHave.has(hash),
      async outcomeOf(response, ask) {
        const outcome = response.error === undefined ? judge(sent, response) : await explain(sent, response, ask)
        if (outcome.kind !== 'refused' && outcome.kind !== 'impossible') remember(hash)
        return outcome
      },
      inDoubt(why) {
        remember(hash)
        return maybeSent(why, hash)
      },
    }
  }

  return (request) => {
    if (request.method === 'eth_sendTransaction') return unsigned
    const sent = readSent(request)
    return sent && describe(sent)
  }
}

/** Tells a call whose one transaction may be sent to several nodes. */
export function isRepeatableTransaction(request: RpcRequest): boolean {
  return request.method === 'eth_sendRawTransaction' && repeatable.test(request.params?.text() ?? '')
}
const repeatable = /^\s*\[\s*"0x(?:0[124])?[c-f][\da-f](?:[\da-f]{2})*"\s*\]\s*$/i

/** A transaction that the node signs: nobody knows its hash before, and a second one would be another. Its errors are told as they come. */
const unsigned: Write = {
  isIdempotent: false,
  broadcast: 1,
  mayBeDone: false,
  outcomeOf: (response) => (response.error === undefined ? { kind: 'done', response } : { kind: 'refused' }),
  inDoubt: (why) => maybeSent(why, undefined),
}

function readSent({ method, params }: RpcRequest): Sent | undefined {
  const isSync = method === 'eth_sendRawTransactionSync'
  if ((!isSync && method !== 'eth_sendRawTransaction') || params === undefined) return undefined
  const text = params.text()
  if (!rawTransaction.test(text)) return undefined
  const [raw] = params.value() as readonly [Hex]
  const hash = transactionHash(raw)
  return hash && { hash, isSync, hasBlobs: raw.startsWith('0x03') }
}

/** Judges a success: it names the transaction by its hash, which the caller gets as it is computed here. */
function judge({ hash, isSync }: Sent, response: RpcResponse): WriteOutcome {
  const told = valueOf(response)
  const named = isSync ? (Object(told) as { readonly transactionHash?: unknown }).transactionHash : told
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
const doubtful = new Set(['timeout', 'unavailable', 'internal'])

/** Explains an error: the node may have the transaction already, or another one may have used its nonce. */
async function explain(
  { hash, isSync }: Sent,
  response: RpcResponse,
  ask: (question: RpcRequest) => Promise<RpcResponse>,
): Promise<WriteOutcome> {
  const kind = classifyNodeError(response.error!)
  // EIP-7966: the node has it, and its receipt did not come in time; its words and its data say so.
  if (isSync && response.error!.code === 4) return { kind: 'refused' }
  if (doubtful.has(kind)) return { kind: 'unknown' }
  if (kind === 'already_known' && !isSync) return { kind: 'done', response: { result: rawJsonFromValue(hash) } }
  if (kind !== 'nonce_too_low' && kind !== 'already_known') return { kind: 'refused' }
  const method = isSync ? 'eth_getTransactionReceipt' : 'eth_getTransactionByHash'
  const found = await ask({ method, params: rawJsonFromValue([hash]), notification: false }).catch(() => undefined)
  if (found === undefined || found.error !== undefined)
    return { kind: kind === 'already_known' ? 'refused' : 'unknown' }
  const value = valueOf(found)
  if (value === null) return { kind: kind === 'already_known' ? 'refused' : 'impossible' }
  const { hash: own, transactionHash: ofReceipt } = Object(value) as {
    readonly hash?: unknown
    readonly transactionHash?: unknown
  }
  if ((isSync ? ofReceipt : own) !== hash) return { kind: 'unknown' }
  return { kind: 'done', response: isSync ? found : { result: rawJsonFromValue(hash) } }
}

function valueOf({ result }: RpcResponse): unknown {
  if (result === undefined) return undefined
  if (!isStream(result)) return result.value()
  result.cancel()
  return undefined
}

/** Makes the error of a transaction that a node may have: its caller has to look for it, and must not sign another one in its place. */
function maybeSent(why: RpcError, hash: Hash | undefined): RpcError {
  const told = hash === undefined ? 'look for it among those of its sender' : `look for ${hash}`
  const message = `the transaction may have been sent: ${told} before you send it again`
  return new RpcError(why.code === 'timeout' ? 'timeout' : 'unavailable', `${why.message}; ${message}`, {
    cause: why,
    rpc: { code: -32000, message, ...(hash !== undefined && { data: { hash } }) },
  })
}
