import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEvents } from '../../src/page/api/read-events.ts'

const events: readonly (readonly [string, string])[] = [
  ['calls', '[{"method":"é👋"}]'],
  ['dropped', '{"count":3}'],
  ['message', 'first\nsecond'],
]
const text =
  ': a comment\n\nevent: calls\ndata: [{"method":"é👋"}]\n\n: another\n\nevent: dropped\ndata: {"count":3}\n\ndata: first\ndata: second\n\nevent: calls\ndata: cut off'

async function read(chunks: readonly Uint8Array[]): Promise<readonly (readonly [string, string])[]> {
  const found: (readonly [string, string])[] = []
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  await readEvents(new Response(body), (name, data) => found.push([name, data]))
  return found
}

describe('server-sent events', () => {
  it('are read whole, wherever the network cuts them', async () => {
    const bytes = new TextEncoder().encode(text)
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(bytes.length)), async (places) => {
        const cuts = [0, ...places.toSorted((a, b) => a - b), bytes.length]
        const chunks = cuts.slice(1).map((end, i) => bytes.slice(cuts[i], end))
        expect(await read(chunks)).toEqual(events)
      }),
    )
  })

  it('tell in words that the connection broke', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new TypeError('network error')) })
    await expect(readEvents(new Response(body), () => undefined)).rejects.toMatchObject({ code: 'unreachable' })
  })

  it('are read no further where taking one fails', async () => {
    const end = Promise.withResolvers<void>()
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: one\n\n')),
      cancel: () => end.resolve(),
    })
    const fail = (): never => {
      throw new Error('not taken')
    }
    await expect(readEvents(new Response(body), fail)).rejects.toThrow('not taken')
    await end.promise
  })

  it('are given up where one never ends', async () => {
    const endless = Array.from({ length: 5 }, () => new TextEncoder().encode('x'.repeat(1_000_000)))
    await expect(read(endless)).rejects.toThrow('too long')
  })
})
