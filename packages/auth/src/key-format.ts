import { systemRandomBytes } from './defaults.ts'

const keyForm = /^[A-Za-z0-9_-]{1,128}$/
// oxlint-disable-next-line no-control-regex -- RFC 7617 §2 forbids exactly these in a password
const controls = /[\0-\x1f\x7f-\x9f]/
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const checkedForm = /^wls?_[0-9A-Za-z]{28}$/
const checksumLength = 6

/**
 * Matches a key or a secret that this package created, anywhere in a text; for secret scanners. To drop nearly all chance matches,
 * ask {@link hasValidChecksum} about each.
 */
export const keyPattern: RegExp = /\bwls?_[0-9A-Za-z]{28}\b/

/** Characters below which a key is weak: 16 of them hold 64 random bits where they are hex. */
export const minKeyLength = 16

/** Tells whether `text` can be a key: 1 to 128 of `A-Z a-z 0-9 _ -`, so that keys of elsewhere, such as 32 hex digits, can be kept. */
export function isApiKey(text: string): boolean {
  return keyForm.test(text)
}

/** Tells whether a key is so short that it could be guessed: fewer than {@link minKeyLength} characters. */
export function isWeakKey(key: string): boolean {
  return key.length < minKeyLength
}

/** Tells whether `text` can be a secret: 1 to 1,024 characters, not all blank, without control characters (RFC 7617 §2). */
export function isApiSecret(text: string): boolean {
  return text.trim() !== '' && text.length <= 1_024 && !hasControls(text)
}

/** Tells whether `text` holds a control character (C0, DEL, C1). */
export function hasControls(text: string): boolean {
  return controls.test(text)
}

/** Creates a key: `wl_`, 22 base62 digits of 128 random bits, 6 of the CRC-32 of all before. `random` returns that many random bytes. */
export function createApiKey(random: (count: number) => Uint8Array = systemRandomBytes): string {
  return withChecksum('wl_', random)
}

/** Creates a secret: as {@link createApiKey}, with the prefix `wls_`. */
export function createApiSecret(random: (count: number) => Uint8Array = systemRandomBytes): string {
  return withChecksum('wls_', random)
}

/**
 * Tells whether `text` is a key or secret of this package's form with the right checksum. A key of elsewhere has none, and a
 * misspelt one a wrong one.
 */
export function hasValidChecksum(text: string): boolean {
  return checkedForm.test(text) && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
}

/** Returns the last four characters, by which a person tells keys apart; empty for a text too short to give them away. */
export function hintOf(text: string): string {
  return text.length < minKeyLength ? '' : text.slice(-4)
}

function withChecksum(prefix: string, random: (count: number) => Uint8Array): string {
  let number = 0n
  for (const byte of random(16)) number = (number << 8n) | BigInt(byte)
  const text = prefix + base62(number, 22)
  return text + checksumOf(text)
}

function checksumOf(text: string): string {
  return base62(BigInt(crc32(text)), checksumLength)
}

/** Prints a number in base 62, padded to `length` digits. */
function base62(number: bigint, length: number): string {
  let text = ''
  for (let rest = number; text.length < length; rest /= 62n) text = digits[Number(rest % 62n)]! + text
  return text
}

/** Computes the CRC-32 of an ASCII text (ISO-HDLC, as in zlib). */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}
