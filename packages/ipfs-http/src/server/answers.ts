import type { ByteStream } from '../backend.ts'
import type { Call } from './call.ts'
import type { IpfsAnswer } from './handler.ts'

const json = { 'Content-Type': 'application/json' }
const jsonLines = { ...json, 'X-Chunked-Output': '1' }

/** One value, whole. */
export function single(value: unknown): IpfsAnswer {
  return { status: 200, headers: json, body: `${JSON.stringify(value)}\n` }
}

/** As much of an answer as is kept back so that an error can still have a status. */
const heldBack = 1_048_576

/**
 * One line of JSON for each value. What is shorter than 1 MiB is sent whole, once it is known to be true: what goes wrong
 * later could not change its status any more. `eager`: each line is sent at once.
 */
export function lines(values: AsyncIterable<unknown>, { eager }: { eager: boolean }): Promise<IpfsAnswer> {
  return pieces(printed(values), jsonLines, eager ? 1 : heldBack)
}

async function* printed(values: AsyncIterable<unknown>): AsyncGenerator<string, void, undefined> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`
}

/** One value that is printed in pieces. */
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

/** Content, of `size` bytes where that is known. The type of files is `text/plain` whatever they hold, as in Kubo. */
export async function content(
  call: Call,
  bytes: ByteStream,
  { size, type = 'text/plain' }: { readonly size?: bigint; readonly type?: string } = {},
): Promise<IpfsAnswer> {
  const headers: Record<string, string> = { 'Content-Type': type, 'X-Stream-Output': '1' }
  if (size !== undefined) headers['X-Content-Length'] = String(size)
  return { status: 200, headers, body: await call.download(size, call.paced(bytes)) }
}
