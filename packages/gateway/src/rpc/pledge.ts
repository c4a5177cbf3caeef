import { mostUnsent } from '@wayleave/http-server'

/**
 * Returns the bytes that the answer to a body counts as until its length is known. That of a batch counts as more than may be unsent, so
 * that what comes behind it on its connection waits: batches that are sent at once would otherwise grow all their answers at once.
 */
export function pledgeOf(body: Uint8Array): number {
  return isBatch(body) ? mostUnsent + 1 : 0
}

const bracket = 0x5b
const spaces = new Set([0x20, 0x09, 0x0a, 0x0d])

/** Tells whether a body, if it is JSON, is an array. */
export function isBatch(body: Uint8Array): boolean {
  const first = body.find((byte) => !spaces.has(byte))
  return first === bracket
}
