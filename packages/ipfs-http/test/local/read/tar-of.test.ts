import { execFile } from 'node:child_process'
import { lstat, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { encode as encodePb } from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'
import { describe, expect, test } from 'vitest'
import { tarHeader } from '../../../src/local/read/tar-header.ts'
import { tarOf } from '../../../src/local/read/tar-of.ts'
import {
  codes,
  collect,
  identityOf,
  importAll,
  memoryBlocks,
  type MemoryBlocks,
  never,
  noise,
  putBytes,
  putFile,
} from './dags.ts'

const run = promisify(execFile)

async function tar(store: MemoryBlocks, cid: CID, name = 'root'): Promise<Buffer> {
  return await collect(await tarOf(store, { cid, segments: [] }, name, never, 1_700_000_000n))
}

/** Runs `check` in a folder into which GNU tar has extracted the archive without a warning, but for times before 1970. */
async function extracted(archive: Uint8Array, check: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-tar-'))
  try {
    await writeFile(join(folder, 'a.tar'), archive)
    const { stdout, stderr } = await run('tar', ['-xpf', 'a.tar'], { cwd: folder })
    expect(stdout + stderr.replace(/^tar: .*old\.txt: implausibly old.*\n/, '')).toBe('')
    await check(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('an archive', () => {
  test('of a tree is extracted by tar as it was', async () => {
    const store = memoryBlocks()
    const long = `${'n'.repeat(120)}.txt`
    const deep = `${'a'.repeat(60)}/${'b'.repeat(60)}/${'c'.repeat(30)}`
    const files: Record<string, Uint8Array> = {
      'empty.txt': new Uint8Array(0),
      'one-block.txt': noise(512),
      'large.bin': noise(600_000),
      [long]: Buffer.from('long'),
      [`${deep}/file`]: Buffer.from('deep'),
      'ünï ☃.txt': Buffer.from('name'),
    }
    const mtime = { secs: 1_600_000_000n, nsecs: 500_000_000 }
    const cid = await importAll(store, [
      ...Object.entries(files).map(([path, content]) => ({ path: `d/${path}`, content })),
      { path: 'd/script.sh', content: Buffer.from('#!'), mode: 0o751, mtime },
      { path: 'd/old.txt', content: Buffer.from('old'), mtime: { secs: -86_400n } },
      { path: 'd/nothing' },
    ])
    await extracted(await tar(store, cid), async (folder) => {
      const root = join(folder, 'root')
      for (const [path, content] of Object.entries(files)) {
        expect((await readFile(join(root, path))).equals(content)).toBe(true)
      }
      const script = await lstat(join(root, 'script.sh'))
      expect([script.mode & 0o777, script.mtimeMs]).toEqual([0o751, 1_600_000_000_500])
      expect((await lstat(join(root, 'old.txt'))).mtimeMs).toBe(-86_400_000)
      expect((await readdir(join(root, 'nothing'))).length).toBe(0)
      const plain = await lstat(join(root, 'empty.txt'))
      expect([plain.mode & 0o777, plain.mtimeMs]).toEqual([0o644, 1_700_000_000_000])
      expect((await lstat(root)).mode & 0o777).toBe(0o755)
    })
  })

  test('of a sharded directory has every entry', async () => {
    const store = memoryBlocks()
    const names = Array.from({ length: 600 }, (_, at) => `file-${at}`)
    const entries = names.map((name) => ({ path: `d/${name}`, content: Buffer.from(name) }))
    const cid = await importAll(store, entries, { shardSplitThresholdBytes: 0 })
    await extracted(await tar(store, cid), async (folder) => {
      expect((await readdir(join(folder, 'root'))).toSorted()).toEqual(names.toSorted())
      expect(await readFile(join(folder, 'root/file-599'), 'utf8')).toBe('file-599')
    })
  })

  test('has no "/" behind a directory, which the extractor of Kubo would refuse', async () => {
    const store = memoryBlocks()
    const cid = await importAll(store, [{ path: 'd/sub/f', content: Buffer.from('f') }])
    const archive = await tar(store, cid)
    const nameAt = (at: number): string => archive.toString('utf8', at, archive.indexOf(0, at))
    expect([nameAt(0), nameAt(512), nameAt(1024)]).toEqual(['root', 'root/sub', 'root/sub/f'])
    expect(archive.toString('latin1', 156, 157)).toBe('5')
  })

  test('of symlinks keeps them, long targets too', async () => {
    const store = memoryBlocks()
    const [near, far] = ['../there', `${'x'.repeat(150)}/ü`]
    const link = async (name: string, target: string) =>
      [await putFile(store, { type: 'symlink', data: Buffer.from(target) }), 0n, name] as const
    const cid = await putFile(store, { type: 'directory', links: [await link('a', near), await link('b', far)] })
    await extracted(await tar(store, cid), async (folder) => {
      expect(await readlink(join(folder, 'root/a'))).toBe(near)
      expect(await readlink(join(folder, 'root/b'))).toBe(far)
    })
  })

  test('of a lone file has it under the name that was asked for', async () => {
    const store = memoryBlocks()
    const cid = await importAll(store, [{ content: noise(700) }], { rawLeaves: true, cidVersion: 1 })
    await extracted(await tar(store, cid, 'file.bin'), async (folder) => {
      expect((await readFile(join(folder, 'file.bin'))).equals(noise(700))).toBe(true)
    })
    for (const name of ['', '.', '..', 'a/b', 'a\\b', 'a\0']) {
      await expect(tar(store, cid, name)).rejects.toMatchObject({ code: 'bad_argument' })
    }
  })

  test('is read block by block, and ends with an abort', async () => {
    const store = memoryBlocks()
    const entries = Array.from({ length: 50 }, (_, at) => ({ path: `d/${at}`, content: noise(900, at + 1) }))
    const cid = await importAll(store, entries)
    const controller = new AbortController()
    const stream = await tarOf(store, { cid, segments: [] }, 'root', controller.signal)
    let chunks = 0
    const reading = (async () => {
      for await (const chunk of stream) if (chunk.length > 0 && ++chunks === 12) controller.abort()
    })()
    await expect(reading).rejects.toMatchObject({ code: 'aborted' })
    expect(store.gets.length).toBeLessThan(8)
  })
})

describe('a hostile directory', () => {
  const byte = identityOf(Buffer.from('x'))

  test.each(['..', '.', '', 'a/b', '/etc/passwd', '../x', '..\\x', 'C:\\x', 'nul\0'])(
    'with the entry %j ends before it',
    async (name) => {
      const store = memoryBlocks()
      const cid = await putFile(store, { type: 'directory', links: [[byte, 0n, name]] })
      await expect(tar(store, cid)).rejects.toMatchObject({ code: 'bad_content' })
    },
  )

  test('with a name twice, by which a symlink could be written through, ends before the second', async () => {
    const store = memoryBlocks()
    const link = await putFile(store, { type: 'symlink', data: Buffer.from('/etc') })
    const inner = await putFile(store, { type: 'directory', links: [[byte, 0n, 'passwd']] })
    const links = [[link, 0n, 'a'], [inner, 0n, 'a']] as const // prettier-ignore
    const cid = await putFile(store, { type: 'directory', links })
    await expect(tar(store, cid)).rejects.toMatchObject({ code: 'bad_content', message: /two entries "a"/ })
  })

  test('with a name that is no UTF-8, or an entry that is no file, ends before it', async () => {
    const store = memoryBlocks()
    const hash = [0x0a, byte.bytes.length, ...byte.bytes]
    const link = [...hash, 0x12, 1, 0xff]
    const named = await putBytes(store, Uint8Array.of(0x12, link.length, ...link, 0x0a, 2, 0x08, 1), codes.pb)
    await expect(tar(store, named)).rejects.toMatchObject({ code: 'bad_content', message: /not UTF-8/ })
    const cbor = await putBytes(store, Uint8Array.of(0xa0), codes.cbor)
    const cid = await putFile(store, { type: 'directory', links: [[cbor, 0n, 'a']] })
    await expect(tar(store, cid)).rejects.toMatchObject({ code: 'unsupported' })
  })

  test('of 600 levels is refused', async () => {
    const store = memoryBlocks()
    let cid = await putFile(store, { type: 'directory' })
    for (let level = 0; level < 600; level++) cid = await putFile(store, { type: 'directory', links: [[cid, 0n, 'd']] })
    await expect(tar(store, cid)).rejects.toMatchObject({ code: 'too_large' })
  })

  test('whose entries lead to itself twice as often at each level streams lazily', async () => {
    const store = memoryBlocks()
    let cid = await putFile(store, { type: 'directory', links: [[byte, 0n, 'f']] })
    for (let level = 0; level < 40; level++) {
      const links = [[cid, 0n, 'a'], [cid, 0n, 'b']] as const // prettier-ignore
      cid = await putBytes(
        store,
        encodePb({ Data: Uint8Array.of(8, 1), Links: links.map(([Hash, , Name]) => ({ Hash, Name })) }),
        codes.pb,
      )
    }
    let chunks = 0
    for await (const chunk of await tarOf(store, { cid, segments: [] }, 'root', never)) {
      expect(chunk.length).toBeLessThan(4096)
      if (++chunks === 2000) break
    }
    expect(store.gets.length).toBeLessThan(2000)
  })
})

test('files from 8 GiB have their size in a pax header that tar understands', async () => {
  const header = tarHeader({ type: 'file', path: 'f', mode: 0o644, mtime: { secs: 1n, nsecs: 0 }, size: 2n ** 33n })
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-tar-'))
  try {
    await writeFile(join(folder, 'a.tar'), header)
    const listed = await run('tar', ['-tvf', 'a.tar'], { cwd: folder }).catch(
      (error: unknown) => error as { stdout: string },
    )
    expect(listed.stdout).toContain('8589934592')
  } finally {
    await rm(folder, { recursive: true })
  }
})
