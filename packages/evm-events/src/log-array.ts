import { type RawJson, RpcError } from '@wayleave/jsonrpc-core'

/** Joins arrays of logs into one, without reading the logs. */
export interface LogArray {
  /** Gives the bytes that follow for the bytes within a further array. */
  add(inner: readonly Uint8Array[]): Uint8Array[]
  /** Gives the bytes after the last. */
  end(): Uint8Array[]
}

const openBracket = 0x5b
const closeBracket = 0x5d

/** Starts one array. */
export function createLogArray(): LogArray {
  let isEmpty = true
  return {
    add(inner) {
      if (inner.length === 0) return []
      const chunks = [bytesOf(isEmpty ? '[' : ','), ...inner]
      isEmpty = false
      return chunks
    },
    end: () => [bytesOf(isEmpty ? '[]' : ']')],
  }
}

/**
 * Gives the bytes between the brackets of an array, without white space at either end.
 * @throws RpcError `invalid_response` where it is none
 */
export function withoutBrackets(logs: RawJson): Uint8Array[] {
  const chunks = [...logs.chunks()]
  trimStart(chunks)
  trimEnd(chunks)
  if (chunks[0]?.[0] !== openBracket || chunks.at(-1)?.at(-1) !== closeBracket || logs.byteLength < 2) {
    throw new RpcError('invalid_response', 'expected an array of logs, got something else')
  }
  chunks[0] = chunks[0].subarray(1)
  chunks.push(chunks.pop()!.subarray(0, -1))
  trimStart(chunks)
  trimEnd(chunks)
  return chunks
}

function trimStart(chunks: Uint8Array[]): void {
  for (let [first] = chunks; first !== undefined; [first] = chunks) {
    const at = first.findIndex((byte) => !isSpace(byte))
    if (at >= 0) {
      chunks[0] = first.subarray(at)
      return
    }
    chunks.shift()
  }
}

function trimEnd(chunks: Uint8Array[]): void {
  for (let last = chunks.at(-1); last !== undefined; last = chunks.at(-1)) {
    const at = last.findLastIndex((byte) => !isSpace(byte))
    if (at >= 0) {
      chunks[chunks.length - 1] = last.subarray(0, at + 1)
      return
    }
    chunks.pop()
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

const encoder = new TextEncoder()

function bytesOf(text: string): Uint8Array {
  return encoder.encode(text)
}
