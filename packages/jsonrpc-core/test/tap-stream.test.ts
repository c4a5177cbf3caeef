import { type RawJsonStream, tapStream } from '@wayleave/jsonrpc-core'
import { expect, it } from 'vitest'
import { bytes } from './support.ts'

/** A tapped stream of some chunks, which breaks off after them where that is wanted, and a record of what the tap was told. */
function tapped(chunks: readonly string[], breaks = false) {
  const reported: string[] = []
  const source: RawJsonStream = {
    streaming: true,
    cancel: () => void reported.push('source cancelled'),
    async *[Symbol.asyncIterator]() {
      for (const chunk of chunks) yield bytes(chunk)
      if (breaks) throw new Error('it broke')
    },
  }
  const stream = tapStream(source, {
    chunk: (chunk) => void reported.push(Buffer.from(chunk).toString()),
    end: () => void reported.push('end'),
    left: () => void reported.push('left'),
    broken: (why) => void reported.push(`broken: ${(why as Error).message}`),
  })
  return { stream, reported }
}

async function read(stream: RawJsonStream, most = Number.POSITIVE_INFINITY): Promise<string> {
  let text = ''
  let count = 0
  for await (const chunk of stream) {
    text += Buffer.from(chunk).toString()
    if (++count >= most) break
  }
  return text
}

it('a tap hears of each chunk and of the end', async () => {
  const { stream, reported } = tapped(['[1,', '2]'])
  expect(await read(stream)).toBe('[1,2]')
  expect(reported).toEqual(['[1,', '2]', 'end'])
})

it('a tap hears of a reader who leaves, and of a stream that is cancelled', async () => {
  const { stream, reported } = tapped(['[1,', '2]'])
  await read(stream, 1)
  expect(reported).toEqual(['[1,', 'left'])
  stream.cancel()
  expect(reported.slice(2)).toEqual(['left', 'source cancelled'])
})

it('a tap hears why a stream broke off, and so does its reader', async () => {
  const { stream, reported } = tapped(['[1,'], true)
  await expect(read(stream)).rejects.toThrow('it broke')
  expect(reported).toEqual(['[1,', 'broken: it broke'])
})
