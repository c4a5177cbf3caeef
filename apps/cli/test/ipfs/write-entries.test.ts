import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { IpfsEntry } from '@wayleave/ipfs-http'
import { describe, expect, it } from 'vitest'
import { type WriteOptions, writeEntries, type Written } from '../../src/ipfs/write-entries.ts'
import { folder } from '../helpers.ts'

type Made = Partial<Omit<IpfsEntry, 'content'>> & Pick<IpfsEntry, 'path' | 'type'> & { readonly text?: string }

async function* made(entries: readonly Made[]): AsyncGenerator<IpfsEntry> {
  for (const { text = '', ...entry } of entries) {
    const bytes = new TextEncoder().encode(text)
    const content = (async function* () {
      yield bytes
    })()
    yield { size: bytes.byteLength, verification: 'proven', ...entry, content }
  }
}

function write(output: string, entries: readonly Made[], options: Partial<WriteOptions> = {}): Promise<Written> {
  const { signal } = new AbortController()
  return writeEntries(made(entries), { output, force: false, onBytes: () => {}, signal, ...options })
}

const directory = (path: string): Made => ({ path, type: 'directory' })
const file = (path: string, text = 'text'): Made => ({ path, type: 'file', text })
const link = (path: string, target: string): Made => ({ path, type: 'symlink', target })

describe('writing what was fetched', () => {
  it('writes files, directories and symlinks, with their modes and times', async () => {
    const output = join(await folder(), 'out')
    const mtime = { secs: 1_000_000_000n, nsecs: 500_000_000 }
    const seen: unknown[] = []
    const written = await write(
      output,
      [
        { ...directory('r'), mode: 0o500, mtime },
        { ...file('r/run', 'abc'), mode: 0o4750, mtime },
        { ...directory('r/sub'), mode: 0o555 },
        link('r/sub/link', '../run'),
        { ...file('r/z'), verification: 'unverified' },
      ],
      { onBytes: (...args) => seen.push(args) },
    )
    expect(written).toEqual({ path: output, files: 2, bytes: 7, links: 0, verification: 'unverified' })
    expect(seen).toEqual([
      [3, undefined],
      [7, undefined],
    ])
    expect(await readFile(join(output, 'sub/link'), 'utf8')).toBe('abc')
    const run = await stat(join(output, 'run'))
    expect([run.mode & 0o7777, run.mtimeMs]).toEqual([0o750, 1_000_000_000_500])
    // What is written into a directory after its time was told does not change it.
    const root = await stat(output)
    expect([root.mode & 0o7777, root.mtimeMs]).toEqual([0o500, 1_000_000_000_500])
    expect((await stat(join(output, 'sub'))).mode & 0o7777).toBe(0o555)
    for (const each of [output, join(output, 'sub')]) await chmod(each, 0o700)
  })

  it('keeps a time before 1970', async () => {
    const output = join(await folder(), 'out')
    await write(output, [{ ...file('r'), mtime: { secs: -5n, nsecs: 500_000_000 } }])
    expect((await stat(output)).mtimeMs).toBe(-4_500)
  })

  it('tells of a lone file how many bytes it will have, and counts the links that lead out', async () => {
    const at = await folder()
    const seen: unknown[] = []
    await write(join(at, 'one'), [file('name', 'abcd')], { onBytes: (...args) => seen.push(args) })
    expect(seen).toEqual([[4, 4]])
    const links = [link('r/a', '/etc'), link('r/b', '../x'), link('r/c', 'sub/../../x'), link('r/d', 'sub/e')]
    expect((await write(join(at, 'two'), [directory('r'), ...links])).links).toBe(3)
    expect(await readlink(join(at, 'two/a'))).toBe('/etc')
  })

  it.each([
    ['..', [directory('r'), file('r/../../evil')]],
    ['.. alone', [file('..')]],
    ['.', [file('.')]],
    ['an absolute path', [file('/tmp/evil')]],
    ['an empty name', [directory('r'), file('r//evil')]],
    ['a backslash', [directory('r'), file('r/..\\evil')]],
    ['a NUL', [directory('r'), file('r/a\0b')]],
    ['a second root', [directory('r'), file('s')]],
    ['the root again', [file('r'), file('r')]],
    ['a member before its root', [file('r/a')]],
    ['a folder that nobody told of', [directory('r'), file('r/sub/a')]],
    ['a folder that is a file', [directory('r'), file('r/sub'), file('r/sub/a')]],
    ['a root that is a link', [link('r', '.'), file('r/evil')]],
  ])('refuses %s, and leaves nothing behind', async (_what, entries) => {
    const at = await folder()
    await expect(write(join(at, 'out'), entries)).rejects.toMatchObject({ name: 'IpfsError', code: 'bad_content' })
    expect(await readdir(at)).toEqual([])
  })

  it('never writes through a symlink that came before', async () => {
    const at = await folder()
    await mkdir(join(at, 'outside'))
    const outside = join(at, 'outside')
    const attacks = [
      [link('r/l', outside), file('r/l/evil')],
      [link('r/l', outside), directory('r/l/evil')],
      [link('r/l', outside), link('r/l/evil', 'x')],
      [link('r/l', '../../outside'), file('r/l/evil')],
      [directory('r/d'), link('r/d/l', '.'), file('r/d/l/evil')],
      [link('r/f', join(outside, 'evil')), file('r/f')],
      [directory('r/d'), link('r/d', outside), file('r/d/evil')],
    ]
    for (const attack of attacks) {
      await expect(write(join(at, 'out'), [directory('r'), ...attack])).rejects.toMatchObject({ code: 'bad_content' })
    }
    expect(await readdir(outside)).toEqual([])
    expect(await readdir(at)).toEqual(['outside'])
  })

  it('leaves what is there alone; --force replaces a file or a link, never a directory', async () => {
    const at = await folder()
    const [taken, linked, kept] = ['taken', 'linked', 'kept'].map((name) => join(at, name)) as [string, string, string]
    await writeFile(taken, 'old')
    await writeFile(kept, 'kept')
    await symlink(kept, linked)
    const refused = {
      code: 'bad_argument',
      message: `${taken} is there already: --force replaces it, -o chooses another name`,
    }
    await expect(write(taken, [file('r', 'new')])).rejects.toMatchObject(refused)
    expect(await readFile(taken, 'utf8')).toBe('old')
    await write(taken, [file('r', 'new')], { force: true })
    expect(await readFile(taken, 'utf8')).toBe('new')
    await write(linked, [file('r', 'new')], { force: true })
    expect([await readFile(linked, 'utf8'), await readFile(kept, 'utf8')]).toEqual(['new', 'kept'])
    await write(taken, [directory('r')], { force: true })
    await expect(write(taken, [file('r')], { force: true })).rejects.toThrow('is there already: remove it')
    expect((await readdir(at)).toSorted()).toEqual(['kept', 'linked', 'taken'])
  })

  it('leaves nothing where the host breaks off, or the caller', async () => {
    const at = await folder()
    const entries = async function* (): AsyncGenerator<IpfsEntry> {
      yield* made([directory('r'), file('r/a')])
      throw new Error('broken off')
    }
    const options = { output: join(at, 'out'), force: false, onBytes: () => {} }
    const { signal } = new AbortController()
    await expect(writeEntries(entries(), { ...options, signal })).rejects.toThrow('broken off')
    await expect(writeEntries(entries(), { ...options, signal: AbortSignal.abort() })).rejects.toThrow('aborted')
    expect(await readdir(at)).toEqual([])
  })
})
