import { RpcError } from './error.ts'
import { decodeUtf8Chunks, encodeUtf8, utf8Length } from './utf8.ts'
import type { RawJson, RawJsonStream } from './wire.ts'

/** Tells a value that is still arriving from one that is here. */
export function isStream(result: RawJson | RawJsonStream): result is RawJsonStream {
  return 'streaming' in result
}

/**
 * Makes a value from its text. The caller vouches that it is one JSON value.
 * `parsed` is the parsed value, and `byteLength` the text's length in UTF-8, if the caller has them already.
 */
export function rawJsonFromText(text: string, parsed?: unknown, byteLength?: number): RawJson {
  return new RawText(text, parsed, byteLength)
}

/** Makes a value from its UTF-8 bytes. The caller vouches that they are one JSON value, and never changes them. */
export function rawJsonFromChunks(chunks: readonly Uint8Array[]): RawJson {
  return new RawChunks(chunks)
}

/** The value of a text longer than this, in UTF-16 units, is kept for the code that runs at once: it may take ten times the room. */
const longestKept = 65_536

/** Makes a value from its text in a message that was parsed; `isAscii`: each UTF-16 unit of the text is one byte. */
export function rawJsonOfMessage(text: string, parsed: object, isAscii: boolean): RawJson {
  const value = new RawText(text, parsed, isAscii ? text.length : -1)
  if (text.length > longestKept) queueMicrotask(() => value.forget())
  return value
}

/** Makes a value by `JSON.stringify`. @throws TypeError for values outside JSON (`undefined`, bigint, a cycle). */
export function rawJsonFromValue(value: unknown): RawJson {
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`a JSON value was expected, not ${typeof value}`)
  return new RawText(text, undefined)
}

/** Returns the text of a value of at most about `cap` bytes; undefined for a longer one. It scans nothing. */
export function shortText(value: RawJson, cap: number): string | undefined {
  if (value instanceof RawText) return value.text().length <= cap ? value.text() : undefined
  return value.byteLength <= cap ? value.text() : undefined
}

// The engine's own errors quote the text, so they are not passed on as a cause.

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RpcError('invalid_response', 'the value is not JSON')
  }
}

function decode(chunks: readonly Uint8Array[]): string {
  try {
    return decodeUtf8Chunks(chunks)
  } catch {
    throw new RpcError('invalid_response', 'the value is not UTF-8')
  }
}

class RawText implements RawJson {
  readonly #text: string
  /** The parsed value, if it was asked for. */
  #value: unknown
  #byteLength: number

  constructor(text: string, value: unknown, byteLength = -1) {
    this.#text = text
    this.#value = value
    this.#byteLength = byteLength
  }

  get byteLength(): number {
    if (this.#byteLength < 0) this.#byteLength = utf8Length(this.#text)
    return this.#byteLength
  }

  chunks(): readonly Uint8Array[] {
    return [encodeUtf8(this.#text)]
  }

  text(): string {
    return this.#text
  }

  value(): unknown {
    if (this.#value === undefined) this.#value = parseJson(this.#text)
    return this.#value
  }

  parse(): unknown {
    return parseJson(this.#text)
  }

  forget(): void {
    this.#value = undefined
  }
}

class RawChunks implements RawJson {
  readonly byteLength: number
  readonly #chunks: readonly Uint8Array[]
  #text: string | undefined
  #value: unknown

  constructor(chunks: readonly Uint8Array[]) {
    this.#chunks = chunks
    let length = 0
    for (const chunk of chunks) length += chunk.byteLength
    this.byteLength = length
  }

  chunks(): readonly Uint8Array[] {
    return this.#chunks
  }

  text(): string {
    this.#text ??= decode(this.#chunks)
    return this.#text
  }

  value(): unknown {
    if (this.#value === undefined) this.#value = parseJson(this.text())
    return this.#value
  }

  parse(): unknown {
    return parseJson(this.text())
  }
}
