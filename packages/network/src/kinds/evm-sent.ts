import type { Hex } from '@wayleave/evm-types'
import { rawJsonFromValue, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import { createEvmWrites, isRepeatableTransaction } from './evm-writes.ts'

/** A signed transaction that a node has accepted. */
export interface SentTransaction {
  /** In its network form. */
  readonly raw: Hex
  readonly nonce: number
}

/** Calls that send signed transactions, as far as the gateway reads them. */
export interface SigningKind {
  /** Whether a call sends a signed transaction that does no harm twice, and is short enough for that. */
  isIdempotent(request: RpcRequest): boolean
  /** Makes the function that describes calls that send transactions. `broadcast`: nodes that get a signed one at once. */
  writes: typeof createEvmWrites
  /** The transaction that an answer accepts; undefined: none. */
  acceptedBy(request: RpcRequest, response: RpcResponse): SentTransaction | undefined
  /** The call that sends a transaction. */
  sending(raw: Hex): RpcRequest
  /** Recovers the sender of a transaction, in lower case, in milliseconds of work; undefined: nobody signed it. */
  senderOf(raw: Hex): Promise<string | undefined>
}

/** Reads the transaction that a call sends. */
function rawOf(request: RpcRequest): Hex | undefined {
  return isRepeatableTransaction(request) ? (request.params!.value() as readonly [Hex])[0] : undefined
}

export const evmSigning: SigningKind = {
  isIdempotent: isRepeatableTransaction,
  writes: createEvmWrites,

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
