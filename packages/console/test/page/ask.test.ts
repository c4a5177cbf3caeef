import { afterEach, describe, expect, it, vi } from 'vitest'
import { ask } from '../../src/page/api/ask.ts'

describe('a question to the admin listener', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })

  it('is given up after 30 s, also where its answer has begun', async () => {
    vi.useFakeTimers()
    vi.stubGlobal('fetch', async (_path: string, { signal }: RequestInit) => {
      const body = new ReadableStream({
        start: (controller) => signal!.addEventListener('abort', () => controller.error(new Error('aborted'))),
      })
      return new Response(body)
    })
    const refused = ask('GET', '/status').catch((thrown: unknown) => thrown)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await refused).toMatchObject({ code: 'unreachable' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('says where its answer is a page of a proxy', async () => {
    vi.stubGlobal('fetch', async () => new Response('<p>Portal</p>', { headers: { 'content-type': 'text/html' } }))
    await expect(ask('GET', '/status')).rejects.toThrow('The answer is no JSON. Is a proxy between?')
  })
})
