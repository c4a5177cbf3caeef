import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readEvents, type ServerEvent } from '../../src/client/event-stream.ts'

async function eventsOf(chunks: readonly Uint8Array[]): Promise<readonly ServerEvent[]> {
  const events: ServerEvent[] = []
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const reader = { onEvent: (event: ServerEvent) => void events.push(event), onLife: () => {} }
  await readEvents(body, reader, new AbortController().signal)
  return events
}

it('reads the same events however their bytes are cut, with any ends of lines', async () => {
  const text =
    ':\n\nevent: a\nid: 1\ndata: {"é":1}\n\n: hello\n\ndata:x\ndata: y\nretry: 5\n\nevent: none\n\ndata: unfinished'
  const expected = [
    { event: 'a', data: '{"é":1}' },
    { event: 'message', data: 'x\ny' },
  ]
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(200), { maxLength: 8 }),
      fc.constantFrom('\n', '\r\n', '\r', 'mixed'),
      async (cuts, lineEnd) => {
        let lines = 0
        const ends = ['\r\n', '\n', '\r\n']
        const lineBreak = (): string => (lineEnd === 'mixed' ? ends[lines++ % 3]! : lineEnd)
        const bytes = new TextEncoder().encode(text.replaceAll('\n', lineBreak))
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        const chunks = places.slice(1).map((end, i) => bytes.subarray(places[i], end))
        expect(await eventsOf(chunks)).toEqual(expected)
      },
    ),
  )
})

it('refuses an event without end', async () => {
  await expect(eventsOf([new TextEncoder().encode(`data: ${'x'.repeat(200_000)}`)])).rejects.toThrow('20000 characters')
})
