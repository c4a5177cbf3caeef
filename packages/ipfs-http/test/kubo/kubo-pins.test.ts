import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import type { BackendCall } from '../../src/backend.ts'
import type { IpfsError } from '../../src/error.ts'
import { fakeClock } from '../fake-clock.ts'
import { all } from '../server/serve.ts'
import { type FakeKubo, fakeKubo, refuse } from './fake-kubo.ts'

const hello = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'
const cid = CID.parse(hello)
const call: BackendCall = { signal: new AbortController().signal }
const recursive = { recursive: true }
const direct = { recursive: false }

const stats = '{"Size":19,"UniqueBlocks":1,"TotalSize":19}\n'
const whole = [{ blocks: 1, bytes: 19n, whole: true }]

/** A node that pins this CID under `name`. */
function nodeWith(name: string | undefined, more: object = {}): Promise<FakeKubo> {
  const pins = new Map(name === undefined ? [] : [[hello, name]])
  return fakeKubo(
    (request, response) => {
      if (request.url!.includes('/pin/')) {
        pins.delete(hello)
        response.end('{"Pins":[]}\n')
      } else response.end(stats)
    },
    { pins, ...more },
  )
}

test('what is pinned already is held without pinning it again, which would take the pin away for a moment', async () => {
  for (const name of ['wayleave', 'theirs', '']) {
    for (const how of [recursive, direct]) {
      const { backend, asked } = await nodeWith(name)
      expect(await all(backend.hold(cid, how, call))).toEqual(whole)
      expect(asked).toHaveLength(1)
    }
  }
})

test('what nobody has pinned is pinned under our name', async () => {
  const { backend, asked } = await nodeWith(undefined)
  expect(await all(backend.hold(cid, direct, call))).toEqual(whole)
  expect(asked[0]).toBe(`pin/add?arg=${hello}&recursive=false&name=wayleave&progress=true`)
})

test('only what is pinned under our name is unpinned', async () => {
  for (const name of ['theirs', '', undefined]) {
    const { backend, asked } = await nodeWith(name)
    await backend.release(cid, recursive, call)
    expect(asked).toEqual([])
  }
  const { backend, asked } = await nodeWith('wayleave')
  await backend.release(cid, direct, call)
  expect(asked).toEqual([`pin/rm?arg=${hello}&recursive=true`])
})

test('a direct pin is held where all of it was pinned meanwhile, and what was unpinned meanwhile is forgotten', async () => {
  const pins = new Map<string, string>()
  const { backend, asked } = await fakeKubo(
    (request, response) => {
      if (request.url!.includes('pin/add')) return refuse(response, `pin: ${hello} already pinned recursively`)
      if (request.url!.includes('pin/rm')) return refuse(response, 'not pinned or pinned indirectly')
      response.end(stats)
    },
    { pins },
  )
  expect(await all(backend.hold(cid, direct, call))).toEqual(whole)
  await expect(all(backend.hold(cid, recursive, call))).rejects.toThrow('already pinned')
  pins.set(hello, 'wayleave')
  asked.length = 0
  await backend.release(cid, direct, call)
  expect(asked).toHaveLength(1)
})

test.each([
  ['pin/add', '{"Progress":3}\n', stats],
  ['dag/stat', '{"Pins":[]}\n', '{"DagStats":[{"NumBlocks":3,"Size":9}]}\n'],
])('where the end of %s lacks, the pin fails', async (_what, pinned, walked) => {
  const { backend } = await fakeKubo((request, response) =>
    response.end(request.url!.includes('pin/add') ? pinned : walked),
  )
  const failure = await all(backend.hold(cid, recursive, call)).catch(({ code }: IpfsError) => code)
  expect(failure).toBe('invalid_response')
})

test('a walk over many blocks tells how far it is, so that nobody takes it for silence', async () => {
  const clock = fakeClock()
  let more = (): void => {}
  const { backend } = await fakeKubo(
    (request, response) => {
      if (request.url!.includes('pin/add')) return response.end('{"Pins":[]}\n')
      response.write('{"DagStats":[{"NumBlocks":1,"Size":10}]}\n')
      more = () => {
        response.write('{"DagStats":[{"NumBlocks":2,"Size":20}]}\n')
        response.end('{"UniqueBlocks":3,"TotalSize":30,"DagStats":[{"NumBlocks":3,"Size":30}]}\n')
      }
      setImmediate(() => {
        clock.advance(500)
        more()
      })
      return undefined
    },
    { clock },
  )
  const reported = await all(backend.hold(cid, recursive, call))
  expect(reported.at(-1)).toEqual({ blocks: 3, bytes: 30n, whole: true })
  expect(reported.length).toBeGreaterThan(1)
})

test('an IPFS Cluster, whose pins have no names, is refused before anything is asked of it', async () => {
  const { backend, asked } = await nodeWith('whatever', { cluster: true })
  const refusal = { code: 'unsupported', message: 'the URL is of an IPFS Cluster: give the RPC of a Kubo' }
  await expect(all(backend.hold(cid, recursive, call))).rejects.toMatchObject(refusal)
  await expect(backend.release(cid, recursive, call)).rejects.toMatchObject(refusal)
  expect(asked).toEqual([])
})
