import { afterEach, describe, expect, it, vi } from 'vitest'
import { listDirectory } from '../../src/page/pages/ipfs/kubo.ts'

describe('what lies at a path of IPFS', () => {
  afterEach(() => void vi.unstubAllGlobals())

  it.each([
    ['an empty directory', { Type: 'directory' }, []],
    ['a file', { Type: 'file' }, undefined],
  ])('is %s where it has no links, by its type', async (_title, stat, expected) => {
    vi.stubGlobal('fetch', async (path: string) =>
      Response.json(path.includes('/files/stat?arg=%2Fipfs%2Fbafy') ? stat : { Objects: [{ Links: [] }] }),
    )
    expect(await listDirectory('mine', 'bafy', AbortSignal.timeout(1_000))).toEqual(expected)
  })

  it('is taken for a file where its type is refused', async () => {
    vi.stubGlobal('fetch', async (path: string) =>
      path.includes('/files/stat') ? new Response('{}', { status: 500 }) : Response.json({ Objects: [{ Links: [] }] }),
    )
    expect(await listDirectory('mine', 'bafy', AbortSignal.timeout(1_000))).toBeUndefined()
  })
})
