import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Blocks, blockBytes, BlockWriter, createBlocks } from '../../src/listen/block-writer.ts'

/** Counts what is taken, and overwrites what is given back: whoever still reads it would notice. */
function hostileBlocks(): Blocks & { out: number } {
  const idle: Uint8Array[] = []
  return {
    out: 0,
    take() {
      this.out++
      return idle.pop() ?? new Uint8Array(blockBytes)
    },
    give(block) {
      this.out--
      idle.push(block.fill(0x58))
    },
  }
}

function writerOf(response: ServerResponse, blocks: Blocks, events: string[] = []): BlockWriter {
  const onWait = (): void => void events.push('wait')
  const onTaken = (): void => void events.push('taken')
  return new BlockWriter(response, { blocks, clock: systemClock, onWait, onTaken })
}

/** Serves what `answer` writes; returns a function that asks for it, and may leave it unread. */
async function serve(answer: (response: ServerResponse) => Promise<void>) {
  const failures: unknown[] = []
  const server = createServer((_request, response) => {
    response.on('error', (why) => failures.push(why))
    answer(response).catch((why: unknown) => failures.push(why))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    expect(failures).toEqual([])
  })
  const { port } = server.address() as AddressInfo
  return {
    read: () => fetch(`http://127.0.0.1:${port}`).then((response) => response.text()),
    open: () =>
      new Promise<{ leave(): void }>((resolve) => {
        const asked = request({ port, host: '127.0.0.1' }, () => resolve({ leave: () => asked.destroy() }))
        asked.on('error', () => {})
        asked.end()
      }),
  }
}

/** Bytes whose places can be told from each other. */
function numbered(length: number, from: number): Buffer {
  return Buffer.from(
    Array.from({ length: Math.ceil(length / 8) }, (_, i) => String(from + i).padStart(8, '0'))
      .join('')
      .slice(0, length),
  )
}

describe('a long body', () => {
  it('arrives as it was added, from buffers that are used again, beside others from the same blocks', async () => {
    const blocks = hostileBlocks()
    const lengths = [1, 70_000, 65_536, blockBytes, 3, blockBytes - 1, 600_000, 0, 65_536, 12]
    const server = await serve(async (response) => {
      const writer = writerOf(response, blocks)
      for (const [i, length] of lengths.entries()) {
        const part = numbered(length, i * 1_000)
        await writer.add(part)
        part.fill(0x2d)
      }
      await writer.end()
      writer.close()
    })
    const expected = lengths.map((length, i) => numbered(length, i * 1_000).toString()).join('')
    const bodies = await Promise.all(Array.from({ length: 6 }, server.read))
    for (const body of bodies) expect(body === expected).toBe(true)
    await vi.waitFor(() => expect(blocks.out).toBe(0))
  })

  it('is on its way soon, though nothing more comes', async () => {
    let end = (): void => {}
    const server = await serve(async (response) => {
      const writer = writerOf(response, createBlocks())
      await writer.add(Buffer.from('first'))
      await new Promise<void>((resolve) => (end = resolve))
      await writer.end()
    })
    // The head goes out with the first bytes.
    await expect(server.open()).resolves.toBeDefined()
    end()
  })

  it('without a part ends, too', async () => {
    const blocks = hostileBlocks()
    const server = await serve((response) => writerOf(response, blocks).end())
    expect(await server.read()).toBe('')
    await vi.waitFor(() => expect(blocks.out).toBe(0))
  })
})

describe('a reader who takes nothing', () => {
  it('holds the writer up; when it leaves, the writer goes on, and the block of the bytes on their way is not used again', async () => {
    const blocks = hostileBlocks()
    const events: string[] = []
    let added = 0
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const server = await serve(async (response) => {
      const writer = writerOf(response, blocks, events)
      for (; added < 1_000 && !response.destroyed; added++) await writer.add(numbered(blockBytes, added))
      await writer.add(numbered(10, 0))
      await writer.end()
      writer.close()
      resolve()
    })
    const reader = await server.open()
    await vi.waitFor(() => expect(events.at(-1)).toBe('wait'))
    const before = added
    await new Promise((go) => setTimeout(go, 100))
    // The kernel has taken what it holds.
    expect(added - before).toBeLessThan(100)
    reader.leave()
    await over
    expect(added).toBeLessThan(1_000)
    expect(events.filter((event) => event === 'wait')).toHaveLength(events.length / 2)
    expect(blocks.out).toBe(1)
  })
})

it('keeps at most as many idle blocks as it is told', () => {
  const blocks = createBlocks(2)
  const taken = [blocks.take(), blocks.take(), blocks.take()]
  for (const block of taken) blocks.give(block)
  const again = [blocks.take(), blocks.take(), blocks.take()]
  expect(again.filter((block) => taken.includes(block))).toHaveLength(2)
})
