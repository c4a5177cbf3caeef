import { describeValue, SchemaError } from '@wayleave/jsonrpc-core/schema'
import { type Felt, parseFelt, printFelt } from './felt.ts'

/**
 * A text as a felt: its bytes, big-endian. `SN_MAIN` is `0x534e5f4d41494e`. Source: Cairo, short strings.
 * @throws SchemaError beyond 31 characters or ASCII, and where it begins with NUL, which a number does not keep
 */
export function encodeShortString(text: string): Felt {
  // oxlint-disable-next-line no-control-regex -- NUL is what a first character may not be
  if (typeof text !== 'string' || !/^(?:[\x01-\x7f][\x00-\x7f]{0,30})?$/.test(text)) {
    throw new SchemaError('text', { path: '', expected: 'up to 31 ASCII characters', received: describeValue(text) })
  }
  return printFelt([...text].reduce((value, character) => value * 256n + BigInt(character.charCodeAt(0)), 0n))
}

/** The text in a felt; zero is the empty text. @throws SchemaError where a byte is not ASCII, or there are more than 31 */
export function decodeShortString(felt: string): string {
  const hex = parseFelt(felt).toString(16)
  const bytes =
    hex === '0' ? [] : (hex.length % 2 === 0 ? hex : `0${hex}`).match(/../g)!.map((byte) => parseInt(byte, 16))
  if (bytes.length > 31 || bytes.some((byte) => byte > 0x7f)) {
    throw new SchemaError('felt', { path: '', expected: 'a short string: up to 31 ASCII bytes', received: felt })
  }
  return String.fromCharCode(...bytes)
}
