import { describe, expect, it } from 'vitest'
import { createIpfsClient, type IpfsUpload } from '../../src/index.ts'
import { allOf, refuse, startTestHost } from './test-host.ts'

const files = (count: number, folder = ''): IpfsUpload[] =>
  Array.from({ length: count }, (_, at) => ({ path: `${folder}${at}`, content: `${at % 10}` }))

async function* streamed(entries: readonly IpfsUpload[]): AsyncGenerator<IpfsUpload> {
  yield* entries
}

describe('an upload of more entries than a request may have', () => {
  it.each([
    ['an array', (entries: IpfsUpload[]) => entries],
    ['a stream', streamed],
  ])('is split between its roots, and progress goes on: %s', async (_, sourceOf) => {
    await using host = await startTestHost()
    const client = createIpfsClient({ url: host.url, maxParts: 10, verify: 'proven' })
    const seen: number[] = []
    const entries = files(25)
    const added = await allOf(client.addAll(sourceOf(entries), { onProgress: (bytes) => seen.push(bytes) }))
    expect(added.map(({ path }) => path)).toEqual(entries.map(({ path }) => path))
    expect(host.calls).toEqual(['add', 'pin/ls', 'add', 'pin/ls', 'add', 'pin/ls'])
    expect(seen).toEqual(Array.from({ length: 25 }, (__, at) => at + 1))
  })

  it('keeps the directories of an array whole', async () => {
    await using host = await startTestHost()
    const client = createIpfsClient({ url: host.url, maxParts: 10 })
    const added = await allOf(client.addAll([...files(6), ...files(8, 'd/'), ...files(2, 'e/')]))
    expect(host.calls.filter((call) => call === 'add')).toHaveLength(2)
    expect(added.filter(({ path }) => path === 'd' || path === 'e')).toHaveLength(2)
  })

  it('keeps the directories of an array whole that has a stream in it', async () => {
    await using host = await startTestHost(
      ({ path, response }) => path === 'dag/import' && refuse(response, 404, 'none'),
    )
    const client = createIpfsClient({ url: host.url, maxParts: 3 })
    async function* one(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(1)
    }
    const entries = [{ path: 'a/1', content: one() }, { path: 'a/2', content: 'x' }, ...files(2, 'b/')]
    const added = await allOf(client.addAll(entries))
    expect(added.map(({ path }) => path)).toEqual(['a/1', 'a/2', 'a', 'b/0', 'b/1', 'b'])
  })

  it.each([
    ['of one directory', files(11, 'd/'), false],
    ['of a directory that wraps all', files(11), true],
    ['of names with too many segments', files(2, 'd/'.repeat(60)), false],
  ])('is refused before anything is read or sent: %s', async (_, entries, wrapWithDirectory) => {
    await using host = await startTestHost()
    const maxParts = entries.length === 2 ? 5 : 10
    let reads = 0
    const unread = entries.map((entry) => ({
      ...entry,
      content: {
        *[Symbol.iterator](): Generator<Uint8Array> {
          reads++
          yield new Uint8Array(1)
        },
      },
    }))
    const client = createIpfsClient({ url: host.url, maxParts })
    await expect(allOf(client.addAll(unread, { wrapWithDirectory }))).rejects.toMatchObject({ code: 'too_large' })
    expect({ reads, calls: host.calls }).toEqual({ reads: 0, calls: ['dag/import'] })
  })

  it('as a stream of one directory is refused at the first entry that does not fit', async () => {
    await using host = await startTestHost()
    const client = createIpfsClient({ url: host.url, maxParts: 10 })
    await expect(allOf(client.addAll(streamed(files(11, 'd/'))))).rejects.toMatchObject({ code: 'too_large' })
    const back = streamed([...files(10), ...files(1, 'e/'), { path: '3', content: 'again' }])
    await expect(allOf(client.addAll(back))).rejects.toMatchObject({ code: 'bad_argument' })
  })
})
