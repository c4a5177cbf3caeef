import { expect, test } from 'vitest'
import type { IpfsBackend } from '../../../src/backend.ts'
import { fakeClock } from '../../fake-clock.ts'
import { form, localBackend, type Served, serve } from '../serve.ts'

const other = 'QmQy2Dw4Wk7rdJKjThjYXzfFJNaRKRHhHP5gHHXroJMYxk'

async function added(served: Served, content: string, query = 'pin=false'): Promise<string> {
  return String((await served.post(`add?${query}`, form({ file: 'x', content }))).lines[0]!['Hash'])
}

test('a pin is added, again, listed and removed once', async () => {
  const served = await serve()
  const { post } = served
  const cid = await added(served, 'hello world')
  for (let times = 0; times < 2; times++) {
    const answer = await post(`pin/add?arg=${cid}`)
    expect([answer.status, answer.text]).toEqual([200, `{"Pins":["${cid}"]}\n`])
    expect(answer.headers['x-chunked-output']).toBeUndefined()
  }
  expect((await post('pin/ls')).text).toBe(`{"Keys":{"${cid}":{"Type":"recursive","Name":""}}}\n`)
  expect((await post(`pin/rm?arg=${cid}`)).text).toBe(`{"Pins":["${cid}"]}\n`)
  expect((await post('pin/ls')).text).toBe('{"Keys":{}}\n')
  const again = await post(`pin/rm?arg=${cid}`)
  expect([again.status, again.lines]).toEqual([
    500,
    [{ Message: 'not pinned or pinned indirectly', Code: 0, Type: 'error' }],
  ])
})

test('pins have names and types, which list them', async () => {
  const served = await serve()
  const { post } = served
  const [a, b] = [await added(served, 'a'), await added(served, 'b')]
  await post(`pin/add?arg=${a}&name=first%20one`)
  await post(`pin/add?arg=${b}&recursive=false`)
  const stream = await post('pin/ls?stream=true&names=true')
  expect(stream.headers['x-chunked-output']).toBe('1')
  const expected = [
    { Cid: a, Name: 'first one', Type: 'recursive' },
    { Cid: b, Type: 'direct' },
  ].toSorted((x, y) => (x.Cid < y.Cid ? -1 : 1))
  expect(stream.lines).toEqual(expected)
  expect((await post('pin/ls?stream=true&type=direct')).text).toBe(`{"Cid":"${b}","Type":"direct"}\n`)
  expect((await post('pin/ls?type=indirect')).text).toBe('{"Keys":{}}\n')
  expect((await post('pin/ls?name=first')).lines).toEqual([{ Keys: { [a]: { Type: 'recursive', Name: 'first one' } } }])
  expect((await post(`pin/ls?arg=${b}`)).lines).toEqual([{ Keys: { [b]: { Type: 'direct', Name: '' } } }])
  expect((await post(`pin/ls?arg=${b}&type=recursive`)).lines).toMatchObject([{ Message: `path '${b}' is not pinned` }])
  expect((await post(`pin/add?arg=${a}&recursive=false`)).lines).toMatchObject([
    { Message: `pin: ${a} already pinned recursively` },
  ])
  expect((await post(`pin/rm?arg=${a}&recursive=false`)).lines).toMatchObject([
    { Message: `${a} is pinned recursively` },
  ])
  const renamed = await post(`pin/add?arg=${b}&name=second`)
  expect(renamed.status).toBe(200)
  expect((await post('pin/ls?type=recursive&names=1&stream=1')).lines).toHaveLength(2)
})

test('several arguments are pinned together or not at all; a path pins where it leads', async () => {
  const served = await serve()
  const { post } = served
  const [a, b] = [await added(served, 'a'), await added(served, 'b')]
  expect((await post(`pin/add?arg=${a}&arg=${other}`)).status).toBe(500)
  expect((await post('pin/ls')).text).toBe('{"Keys":{}}\n')
  expect((await post(`pin/add?arg=${a}&arg=${b}`)).lines).toEqual([{ Pins: [a, b] }])
  expect((await post(`pin/rm?arg=${a}&arg=${b}`)).lines).toEqual([{ Pins: [a, b] }])
  const { lines } = await post('add?pin=false', form({ file: 'd%2Ff', content: 'below' }))
  expect((await post(`pin/add?arg=${lines[1]!['Hash']}/f`)).lines).toEqual([{ Pins: [lines[0]!['Hash']] }])
  expect((await post(`pin/ls?cid-base=base32`)).text).toContain('"bafybei')
})

test('a long list comes in pages and is complete', async () => {
  const { post, ledger } = await serve()
  const cids = Array.from({ length: 1_234 }, (_, i) => i)
  const { CID } = await import('multiformats/cid')
  const { identity } = await import('multiformats/hashes/identity')
  for (const i of cids) {
    const cid = String(CID.createV1(0x55, await identity.digest(Buffer.from(String(i)))))
    await ledger.put('alice', { cid, type: 'recursive', name: undefined, bytes: 1n })
  }
  const { lines } = await post('pin/ls?stream=true')
  expect(new Set(lines.map(({ Cid }) => Cid)).size).toBe(1_234)
  expect(Object.keys((await post('pin/ls')).lines[0]!['Keys'] as object)).toHaveLength(1_234)
})

test('a pin is moved to other content, and may stay where it was', async () => {
  const served = await serve()
  const { post } = served
  const [a, b, c] = [await added(served, 'a'), await added(served, 'b'), await added(served, 'c')]
  await post(`pin/add?arg=${a}&name=n`)
  expect((await post(`pin/update?arg=${a}&arg=${b}`)).text).toBe(`{"Pins":["${a}","${b}"]}\n`)
  expect((await post('pin/ls?names=true')).lines).toEqual([{ Keys: { [b]: { Type: 'recursive', Name: 'n' } } }])
  await post(`pin/update?arg=${b}&arg=${c}&unpin=false`)
  expect(Object.keys((await post('pin/ls')).lines[0]!['Keys'] as object).toSorted()).toEqual([b, c].toSorted())
  expect((await post(`pin/update?arg=${c}&arg=${other}`)).status).toBe(500)
  expect((await post(`pin/ls?arg=${c}`)).status).toBe(200)
})

test('a pin that makes no progress is given up, and forgotten', async () => {
  const clock = fakeClock()
  const local = await localBackend()
  const released: string[] = []
  const backend: IpfsBackend = {
    ...local,
    async *hold() {
      for (;;) {
        yield { blocks: 3, bytes: 300n, whole: false }
        clock.advance(500)
      }
    },
    async release(cid) {
      released.push(String(cid))
    },
  }
  const { post } = await serve({ backend, clock, timeoutMs: 10_000 })
  expect((await post(`pin/add?arg=${other}`)).lines).toMatchObject([{ Message: 'pin: context deadline exceeded' }])
  expect(released).toEqual([other])
  expect(clock.now()).toBe(10_000)
})

test('progress of a pin is told every half second, and at its end', async () => {
  const clock = fakeClock()
  const local = await localBackend()
  const go: (() => void)[] = []
  const backend: IpfsBackend = {
    ...local,
    async *hold() {
      yield { blocks: 3, bytes: 300n, whole: false }
      await new Promise<void>((resolve) => void go.push(resolve))
      yield { blocks: 5, bytes: 500n, whole: true }
    },
  }
  const { post } = await serve({ backend, clock, timeoutMs: 60_000 })
  const answer = post(`pin/add?arg=${other}&progress=true`)
  while (go.length === 0) await new Promise((resolve) => setImmediate(resolve))
  clock.advance(500)
  await new Promise((resolve) => setImmediate(resolve))
  clock.advance(500)
  await new Promise((resolve) => setImmediate(resolve))
  go[0]!()
  expect((await answer).lines).toEqual([
    { Progress: 3, Bytes: 300 },
    { Progress: 3, Bytes: 300 },
    { Progress: 5, Bytes: 500 },
    { Pins: [other] },
  ])
  expect(clock.pending).toBe(0)
})
