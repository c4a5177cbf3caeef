import { collectStream, createContext, type RawJsonStream, type RpcHandler } from '@wayleave/jsonrpc-core'
import { cacheOutcome } from '@wayleave/rpc-cache'
import { describe, expect, it } from 'vitest'
import { createScene, requestOf } from './scene.ts'

/** Streams text in chunks that lie in one buffer, as a socket's do. */
function streaming(text: string, chunkLength: number, fails = false, announcedBytes?: number): RpcHandler {
  return async () => {
    const shared = new Uint8Array(chunkLength)
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < text.length; at += chunkLength) {
        const part = new TextEncoder().encode(text.slice(at, at + chunkLength))
        shared.set(part)
        yield shared.subarray(0, part.byteLength)
      }
      if (fails) throw new Error('cut')
    }
    const source = chunks()
    const result: RawJsonStream = {
      streaming: true,
      announcedBytes,
      cancel: () => {},
      [Symbol.asyncIterator]: () => source,
    }
    return { result }
  }
}

const context = () => createContext({ acceptStream: true })
const long = JSON.stringify('x'.repeat(90_000))

/** Reads an answer as its caller would, copying each chunk. */
async function read(handler: RpcHandler): Promise<readonly [string, string | undefined]> {
  const { result, meta } = await handler(requestOf('logs'), context())
  if (!('streaming' in result!)) return [result!.text(), cacheOutcome.of(meta)]
  let text = ''
  for await (const chunk of result) text += new TextDecoder().decode(chunk)
  return [text, cacheOutcome.of(meta)]
}

describe('a stream', () => {
  it('is passed at once, and kept when it is whole', async () => {
    const { lives, handler, store } = createScene({ node: streaming(long, 1_000) })
    const empty = store.bytes
    lives.set('logs', { of: 'params' })
    const { result } = await handler(requestOf('logs'), context())
    expect(store.bytes).toBe(empty)
    const source = (result as RawJsonStream)[Symbol.asyncIterator]()
    await source.next()
    expect(store.bytes).toBe(empty + 1_000)
    for (let done = false; !done;) done = (await source.next()).done === true
    expect(store.entries).toBe(1)
    expect(await read(handler)).toEqual([long, 'hit'])
  })

  it('is not copied at all where its peer announced more than an entry may have', async () => {
    const { lives, handler, store } = createScene({ node: streaming(long, 1_000, false, 1_000_000) })
    const empty = store.bytes
    lives.set('logs', { of: 'params' })
    const { result } = await handler(requestOf('logs'), context())
    const source = (result as RawJsonStream)[Symbol.asyncIterator]()
    await source.next()
    expect(store.bytes).toBe(empty)
    for (let done = false; !done;) done = (await source.next()).done === true
    expect(store.entries).toBe(0)
  })

  it('that was announced a little longer than an entry may be is tried, since its frame counts, too', async () => {
    const { lives, handler, store } = createScene({ node: streaming(long, 1_000, false, 90_200) })
    lives.set('logs', { of: 'params' })
    await read(handler)
    expect(store.entries).toBe(1)
  })

  it.each([
    ['it breaks off', streaming(long, 1_000, true)],
    ['it is longer than an entry may be', streaming(JSON.stringify('x'.repeat(140_000)), 1_000)],
  ])('is not kept, and nothing is held for it, where %s', async (_, node) => {
    const { lives, handler, store } = createScene({ node })
    const empty = store.bytes
    lives.set('logs', { of: 'params' })
    await read(handler).catch(() => {})
    expect([store.entries, store.bytes]).toEqual([0, empty])
  })

  it('gives back its bytes when its reader leaves or cancels', async () => {
    const { lives, handler, store } = createScene({ node: streaming(long, 1_000) })
    const empty = store.bytes
    lives.set('logs', { of: 'params' })
    for (const end of ['return', 'cancel'] as const) {
      const stream = (await handler(requestOf('logs'), context())).result as RawJsonStream
      const source = stream[Symbol.asyncIterator]()
      await source.next()
      expect(store.bytes).toBe(empty + 1_000)
      if (end === 'return') await source.return!()
      else stream.cancel()
      expect([store.entries, store.bytes]).toEqual([0, empty])
    }
  })

  it('that was asked for before a reorg is not kept after it', async () => {
    const { lives, handler, store, chain } = createScene({ node: streaming(long, 1_000) })
    const empty = store.bytes
    lives.set('logs', { of: 'numbers', to: 99 })
    const { result } = await handler(requestOf('logs'), context())
    chain.reorg(94)
    expect((await collectStream(result as RawJsonStream, 1_000_000)).byteLength).toBe(long.length)
    expect([store.entries, store.bytes]).toEqual([0, empty])
  })
})
