import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { form, serve } from './serve.ts'

const content = createHash('shake256', { outputLength: 12_000_000 }).update('lent').digest()

test.each(['cid-version=0', 'cid-version=1&raw-leaves=true&chunker=size-1048576', 'trickle=true'])(
  'content of %s is whole for readers of each pace at once, though the memory of its blocks is used again',
  async (shape) => {
    const { port, post } = await serve()
    const { headers, body } = form({ name: 'content', content })
    const added = await post(`/api/v0/add?${shape}`, { headers, body })
    expect(added.status).toBe(200)
    const cid = added.lines.at(-1)!['Hash'] as string

    async function read(query: string, pauseEvery: number): Promise<Buffer> {
      const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: `/api/v0/cat?arg=${cid}${query}` })
      const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
      const parts: Buffer[] = []
      let turns = 0
      for await (const part of answer) {
        parts.push(part as Buffer)
        if (++turns % pauseEvery === 0) await new Promise((resolve) => setTimeout(resolve, 2))
      }
      return Buffer.concat(parts)
    }

    const whole = await Promise.all([1, 3, 20, Infinity, Infinity].map((pauseEvery) => read('', pauseEvery)))
    for (const bytes of whole) expect(bytes.equals(content)).toBe(true)
    const ranges = await Promise.all(
      [0, 1, 262_143, 5_000_000, 11_999_999].map(async (offset) => {
        const bytes = await read(`&offset=${offset}&length=3000000`, 7)
        return bytes.equals(content.subarray(offset, offset + 3_000_000))
      }),
    )
    expect(ranges).toEqual([true, true, true, true, true])
  },
)
