import type { ByteStream } from '../backend.ts'
import type { IpfsAnswer } from './api.ts'
import type { Call } from './call.ts'

const json = { 'Content-Type': 'application/json' }
const jsonLines = { ...json, 'X-Chunked-Output': '1' }

/** Answers with one value of JSON. */
export function single(value: unknown): IpfsAnswer {
  return { status: 200, headers: json, body: `${JSON.stringify(value)}\n` }
}

/** Characters of an answer that are kept back so that a failure can still set the status. */
const heldBack = 1_048_576

/**
 * Answers with a line of JSON for each value. Buffers up to 1 MiB so that a failure can still set the status.
 * `eager`: sends each line at once.
 */
export function lines(values: AsyncIterable<unknown>, { eager }: { eager: boolean }): Promise<IpfsAnswer> {
  return pieces(printed(values), jsonLines, eager ? 1 : heldBack)
}

async function* printed(values: AsyncIterable<unknown>): AsyncGenerator<string, void, undefined> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`
}

/** Answers with one value that is printed in pieces. Buffers up to 1 MiB so that a failure can still set the status. */
export function singleInPieces(texts: AsyncGenerator<string, void, undefined>): Promise<IpfsAnswer> {
  return pieces(texts, json, heldBack)
}

async function pieces(
  texts: AsyncGenerator<string, void, undefined>,
  headers: IpfsAnswer['headers'],
  whole: number,
): Promise<IpfsAnswer> {
  let first = ''
  while (first.length < whole) {
    const { done, value } = await texts.next()
    if (done === true) return { status: 200, headers, body: first }
    first += value
  }
  const body: AsyncIterableIterator<Uint8Array> = {
    async next() {
      if (first !== '') {
        const value = Buffer.from(first)
        first = ''
        return { done: false, value }
      }
      const { done, value } = await texts.next()
      return done === true ? { done, value } : { done: false, value: Buffer.from(value) }
    },
    async return() {
      await texts.return()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => body,
  }
  return { status: 200, headers, body }
}

/** Answers with content, of `size` bytes if that is known. As in Kubo, the type of files is `text/plain` whatever they hold. */
export async function content(
  call: Call,
  bytes: ByteStream | Uint8Array,
  { size, type = 'text/plain' }: { readonly size?: bigint; readonly type?: string } = {},
): Promise<IpfsAnswer> {
  const headers: Record<string, string> = { 'Content-Type': type, 'X-Stream-Output': '1' }
  if (size !== undefined) headers['X-Content-Length'] = String(size)
  const source = bytes instanceof Uint8Array ? once(bytes) : bytes
  return { status: 200, headers, body: await call.download(size, call.paced(source)) }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}
