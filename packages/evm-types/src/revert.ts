import { type Hex, isHex } from './data.ts'
import type { NodeError } from './node-error.ts'

/** The reason of a revert, as far as its payload tells. */
export type RevertReason =
  /** No payload: `revert()`, or a `require` without reason. */
  | { readonly kind: 'empty' }
  /** `Error(string)`: `require(…, message)`, `revert(message)`. */
  | { readonly kind: 'error'; readonly message: string }
  /** `Panic(uint256)`; no `meaning` for a code that Solidity does not document. */
  | { readonly kind: 'panic'; readonly code: bigint; readonly meaning?: string }
  /** A custom error: its selector, its ABI-encoded arguments, and its signature if the caller knows it. */
  | { readonly kind: 'custom'; readonly selector: Hex; readonly args: Hex; readonly signature?: string }
  /** Bytes of no known form. */
  | { readonly kind: 'unknown'; readonly data: Hex }
  /** Not hex: no payload at all. */
  | { readonly kind: 'invalid' }

/** The meaning of each code of `Panic(uint256)`. Source: Solidity's documentation of panics. */
export const panicMeanings: Readonly<Record<number, string>> = {
  0x00: 'a panic that the compiler inserted',
  0x01: 'an assertion failed',
  0x11: 'an arithmetic operation overflowed or underflowed',
  0x12: 'a division or modulo by zero',
  0x21: 'a value that is no member of the enum',
  0x22: 'a byte array in storage is wrongly encoded',
  0x31: 'pop() of an empty array',
  0x32: 'an array index out of bounds',
  0x41: 'too much memory, or an array that is too large',
  0x51: 'a call of an internal function that was never set',
}

const errorString = '0x08c379a0'
const panicUint = '0x4e487b71'

/** Signatures of custom errors by their selectors, as `errorSelectors` makes them. */
export type ErrorSignatures = Readonly<Record<Hex, string>>

/**
 * Decodes a revert payload, the `data` of error 3 (Spec §7). Names a custom error if `signatures` has its selector.
 * Reads a string that is not padded to 32 bytes too, as some nodes send it. Never throws: a malformed payload is
 * `unknown`.
 */
export function decodeRevert(data: unknown, signatures: ErrorSignatures = {}): RevertReason {
  if (!isHex(data, 0, Infinity) || data.length % 2 !== 0) return { kind: 'invalid' }
  if (data.length === 2) return { kind: 'empty' }
  const selector: Hex = `0x${data.slice(2, 10).toLowerCase()}`
  const args: Hex = `0x${data.slice(10)}`
  if (selector === errorString) {
    const message = decodeString(args)
    return message === undefined ? { kind: 'unknown', data } : { kind: 'error', message }
  }
  if (selector === panicUint) return args.length === 66 ? panic(BigInt(args)) : { kind: 'unknown', data }
  if (Object.hasOwn(signatures, selector)) return { kind: 'custom', selector, args, signature: signatures[selector]! }
  return data.length >= 10 && (args.length - 2) % 64 === 0
    ? { kind: 'custom', selector, args }
    : { kind: 'unknown', data }
}

/**
 * The revert reason of a node's error, or undefined if it is not a revert. Reads error 3 and the forms of other nodes:
 * the payload may be in `data`, in `data.data`, after a word (`Reverted 0x…`), or missing.
 */
export function revertOf(error: NodeError, signatures: ErrorSignatures = {}): RevertReason | undefined {
  const { code, message, data } = error
  const said = /\brevert(?:ed)?\b/i
  if (code !== 3 && !said.test(message) && !(typeof data === 'string' && said.test(data))) return undefined
  const payload = payloadOf(typeof data === 'object' && data !== null && 'data' in data ? data.data : data)
  const decoded: RevertReason = payload === undefined ? { kind: 'empty' } : decodeRevert(payload, signatures)
  const reason = /execution reverted: ([\s\S]+)$/i.exec(message)?.[1]
  const isSaid = reason !== undefined && (payload === undefined || decoded.kind === 'invalid')
  return isSaid ? { kind: 'error', message: reason } : decoded
}

function panic(code: bigint): RevertReason {
  const meaning = code <= 0xffn ? panicMeanings[Number(code)] : undefined
  return meaning === undefined ? { kind: 'panic', code } : { kind: 'panic', code, meaning }
}

/** An ABI-encoded string, with or without its padding; undefined if the bytes hold none. */
function decodeString(args: Hex): string | undefined {
  const size = BigInt((args.length - 2) / 2)
  const numberAt = (at: bigint): bigint | undefined =>
    at + 32n <= size ? BigInt(`0x${args.slice(2 + Number(at) * 2, 2 + Number(at + 32n) * 2)}`) : undefined
  const offset = numberAt(0n)
  const length = offset === undefined ? undefined : numberAt(offset)
  if (offset === undefined || length === undefined || offset + 32n + length > size) return undefined
  const start = 2 + Number(offset + 32n) * 2
  const digits = args.slice(start, start + Number(length) * 2)
  // By hand, so that a client's bundle does not load the hash library at once.
  const bytes = Uint8Array.from({ length: digits.length / 2 }, (_, i) =>
    Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16),
  )
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

function payloadOf(data: unknown): string | undefined {
  return typeof data === 'string' ? /^(?:reverted )?(0x.*)$/is.exec(data)?.[1] : undefined
}
