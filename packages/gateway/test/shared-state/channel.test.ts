import { expect, it } from 'vitest'
import { channelPair } from '../workers/channel-pair.ts'

it('answers come to the questions that asked for them, whatever their order', async () => {
  const { primary, worker } = channelPair()
  const { promise, resolve } = Promise.withResolvers<string>()
  primary.serve('late', () => promise)
  primary.serve('echo', (body) => body)
  const late = worker.ask('late')
  expect(await worker.ask('echo', { bytes: Uint8Array.of(1, 2), big: 2n ** 70n })).toEqual({
    bytes: Uint8Array.of(1, 2),
    big: 2n ** 70n,
  })
  resolve('now')
  expect(await late).toBe('now')
})

it('a handler that throws, rejects or is not there fails the question alone', async () => {
  const { primary, worker } = channelPair()
  worker.serve('throws', () => {
    throw new Error('no')
  })
  worker.serve('rejects', () => Promise.reject(new Error('not now')))
  await expect(primary.ask('throws')).rejects.toMatchObject({ code: 'failed', message: 'no' })
  await expect(primary.ask('rejects')).rejects.toMatchObject({ code: 'failed', message: 'not now' })
  await expect(primary.ask('other')).rejects.toMatchObject({ code: 'failed', message: 'nothing serves other here' })
  primary.report('throws')
  worker.serve('works', () => 1)
  expect(await primary.ask('works')).toBe(1)
})

it('questions end with the channel, and later ones at once', async () => {
  const { primary, worker, close } = channelPair()
  worker.serve('hangs', () => new Promise(() => {}))
  const asked = primary.ask('hangs')
  let closed = 0
  primary.onClose(() => closed++)
  close()
  await expect(asked).rejects.toMatchObject({ code: 'closed' })
  await expect(primary.ask('hangs')).rejects.toMatchObject({ code: 'closed' })
  primary.report('hangs')
  primary.onClose(() => closed++)
  expect(closed).toBe(2)
})
