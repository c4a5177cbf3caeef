import { mostUnsent } from '@wayleave/http-server'

/**
 * Returns the bytes that the answer to a body counts as until its length is known. That of a batch counts as more than may be unsent, so
 * that what comes behind it on its connection waits: batches that are sent at once would otherwise grow all their answers at once.
 */
export function pledgeOf(body: Uint8Array): number {
  return isBatch(body) ? mostUnsent + 1 : 0
}

const bracket = 0x5b

/** Tells whether a body, if it is JSON, is an array. */
export function isBatch(body: Uint8Array): boolean {
  let at = 0
  while (isSpace(body[at])) at++
  return body[at] === bracket
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
}
