import { expect, test } from 'vitest'
import { createParts } from '../../src/server/parts.ts'
import { form, serve } from './serve.ts'

const files = (count: number, folder = 'd'): ReturnType<typeof form> =>
  form(...Array.from({ length: count }, (_, i) => ({ file: `${folder}/${i}`, content: `${i}` })))

test('an upload of more parts than are allowed is 413, which names the bound and how it is raised', async () => {
  const { post, ledger } = await serve({ maxParts: 20 })
  expect(await post('add', files(20))).toMatchObject({ status: 200, trailers: {} })
  const before = await ledger.list('alice', { limit: 10 })
  const answer = await post('add', files(21, 'e'))
  expect([answer.status, answer.text]).toEqual([413, 'payload too large: a request may have 20 parts: send several\n'])
  expect(await ledger.list('alice', { limit: 10 })).toEqual(before)
  // A refused call gives back all that it has taken.
  expect(await post('add', files(20, 'f'))).toMatchObject({ status: 200 })
})

test('names may have ten segments a part on average', async () => {
  const { post } = await serve({ maxParts: 20 })
  expect((await post('add', files(1, 'a/'.repeat(199)))).status).toBe(200)
  const answer = await post('add', files(2, 'a/'.repeat(150)))
  expect([answer.status, answer.text]).toEqual([413, expect.stringContaining('200 segments in all names')])
})

test('uploads that run share the bound, and one that ends gives its parts back', () => {
  const parts = createParts(10)
  const [first, second] = [parts.open(), parts.open()]
  for (let i = 0; i < 6; i++) first.take(1)
  for (let i = 0; i < 4; i++) second.take(1)
  expect(() => second.take(1)).toThrow(expect.objectContaining({ code: 'unavailable' }))
  first.end()
  for (let i = 0; i < 6; i++) second.take(1)
  expect(() => second.take(1)).toThrow(/10 parts \(ipfs\.maxParts\)|payload too large/)
  second.end()
  const third = parts.open()
  for (let i = 0; i < 10; i++) third.take(10)
  expect(third.refused()).toBeUndefined()
  expect(() => third.take(1)).toThrow(/payload too large/)
  expect(third.refused()).toBeDefined()
})
