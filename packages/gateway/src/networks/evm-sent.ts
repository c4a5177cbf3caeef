import { alreadyKnown, classifyNodeError, type Hex, transactionHash } from '@wayleave/evm-types'
import {
  isStream,
  rawJsonFromValue,
  type RpcErrorObject,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'

/** A signed transaction that a node has accepted. */
export interface SentTransaction {
  /** In its network form. */
  readonly raw: Hex
  readonly nonce: number
}

/** Calls that send signed transactions, as far as the gateway reads them. */
export interface SigningKind {
  /** Whether a call sends a signed transaction, so that it has its effect once, however often it arrives. */
  isIdempotent(request: RpcRequest): boolean
  /** The hash as the answer to such a call, in place of a node's error that says, or an answer of `ask` that shows, that it has it. */
  doneOf(
    request: RpcRequest,
    error: RpcErrorObject,
    ask: (question: RpcRequest) => Promise<RpcResponse>,
  ): Promise<RpcResponse | undefined>
  /** The transaction that an answer accepts; undefined: none. */
  acceptedBy(request: RpcRequest, response: RpcResponse): SentTransaction | undefined
  /** The call that sends a transaction. */
  sending(raw: Hex): RpcRequest
  /** Recovers the sender of a transaction, in lower case, in milliseconds of work; undefined: nobody signed it. */
  senderOf(raw: Hex): Promise<string | undefined>
}

/** One raw transaction, of another type than those with blobs, which are too long to be sent twice. */
const oneTransaction = /^\s*\[\s*"0x(?:0[124])?[c-f][\da-f](?:[\da-f]{2})*"\s*\]\s*$/i

/** Reads the transaction that a call sends. */
function rawOf({ method, params }: RpcRequest): Hex | undefined {
  if (method !== 'eth_sendRawTransaction' || params === undefined || !oneTransaction.test(params.text()))
    return undefined
  return (params.value() as readonly [Hex])[0]
}

export const evmSigning: SigningKind = {
  isIdempotent: (request) => rawOf(request) !== undefined,

  async doneOf(request, error, ask) {
    const known = alreadyKnown(request, error)
    if (known !== undefined) return { result: known }
    const raw = rawOf(request)
    if (raw === undefined || classifyNodeError(error) !== 'nonce_too_low') return undefined
    // It may be the one that has used its nonce.
    const hash = transactionHash(raw)
    const params = rawJsonFromValue([hash])
    const { result } = await ask({ method: 'eth_getTransactionByHash', params, notification: false })
    if (result === undefined) return undefined
    if (isStream(result)) result.cancel()
    else if ((result.value() as { readonly hash?: unknown } | null)?.hash !== hash) return undefined
    return { result: rawJsonFromValue(hash) }
  },

  acceptedBy(request, response) {
    if (request.method !== 'eth_sendRawTransaction' || response.error !== undefined) return undefined
    const raw = rawOf(request)
    const nonce = raw && nonceOf(raw)
    return raw === undefined || nonce === undefined ? undefined : { raw, nonce }
  },

  sending: (raw) => ({ method: 'eth_sendRawTransaction', params: rawJsonFromValue([raw]), notification: false }),

  async senderOf(raw) {
    // The curves take a while to load, and few networks need them.
    const { rawTransactionSender, VerifyError } = await import('@wayleave/evm-verify')
    try {
      return rawTransactionSender(raw).sender
    } catch (thrown) {
      if (thrown instanceof VerifyError) return undefined
      throw thrown
    }
  },
}

/** Reads the nonce where it stands: it is the first number of a list, or after a type the second one. Source: EIP-2718. */
function nonceOf(raw: Hex): number | undefined {
  const byte = (at: number): number => Number.parseInt(raw.slice(at, at + 2), 16)
  const isTyped = byte(2) < 0xc0
  const list = isTyped ? 4 : 2
  let at = list + 2 + 2 * Math.max(0, byte(list) - 0xf7)
  if (isTyped) at += byte(at) < 0x80 ? 2 : 2 + 2 * (byte(at) - 0x80)
  const first = byte(at)
  const nonce =
    first < 0x80 ? first : first === 0x80 ? 0 : Number(`0x${raw.slice(at + 2, at + 2 + 2 * (first - 0x80))}`)
  return Number.isSafeInteger(nonce) ? nonce : undefined
}
