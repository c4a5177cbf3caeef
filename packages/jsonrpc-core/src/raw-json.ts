import { RpcError } from './error.ts'
import { decodeUtf8Chunks, encodeUtf8, utf8Length } from './utf8.ts'
import type { RawJson, RawJsonStream } from './wire.ts'

/** Tells a value still arriving from one that is here. */
export function isStream(result: RawJson | RawJsonStream): result is RawJsonStream {
  return 'streaming' in result
}

/**
 * A value from its text, which the caller vouches to be one JSON value.
 * `parsed` is its value where the caller has it already.
 */
export function rawJsonFromText(text: string, parsed?: unknown): RawJson {
  return new RawText(text, parsed)
}

/** A value from its UTF-8 bytes, which the caller vouches to be one JSON value and never changes. */
export function rawJsonFromChunks(chunks: readonly Uint8Array[]): RawJson {
  return new RawChunks(chunks)
}

/** A value printed by `JSON.stringify`. @throws TypeError for what JSON cannot hold (`undefined`, bigint, a cycle). */
export function rawJsonFromValue(value: unknown): RawJson {
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`a JSON value was expected, not ${typeof value}`)
  return new RawText(text, undefined)
}

/** The text of a value that has at most about `cap` bytes; undefined for a longer one. Scans nothing. */
export function shortText(value: RawJson, cap: number): string | undefined {
  if (value instanceof RawText) return value.text().length <= cap ? value.text() : undefined
  return value.byteLength <= cap ? value.text() : undefined
}

// The engine's own messages quote what they read, so they are no cause.

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
  #value: unknown
  #byteLength = -1

  constructor(text: string, value: unknown) {
    this.#text = text
    this.#value = value
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
