import { expect, it } from 'vitest'
import { tarEntries } from '../../src/client/tar-entries.ts'
import { allOf } from './test-host.ts'

interface Member {
  readonly name: string
  readonly kind?: string
  readonly content?: string
  readonly link?: string
  readonly prefix?: string
}

function member({ name, kind = '0', content = '', link = '', prefix = '' }: Member): Buffer {
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(512)
  const put = (text: string, at: number): number => header.write(text, at)
  put(name, 0)
  put('0000644\0', 100)
  put(`${bytes.byteLength.toString(8).padStart(11, '0')}\0`, 124)
  put('00000001750\0', 136)
  put(kind, 156)
  put(link, 157)
  put('ustar\x0000', 257)
  put(prefix, 345)
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.byteLength % 512)) % 512)])
}

const end = Buffer.alloc(1024)
const pax = (key: string, value: string): Member => {
  const rest = ` ${key}=${value}\n`
  const length = Buffer.byteLength(rest) + 2
  return { name: 'PaxHeaders/x', kind: 'x', content: `${length + (length > 97 ? 1 : 0)}${rest}` }
}

async function read(archive: Buffer, piece = 100, root = 'd'): Promise<unknown[]> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < archive.length; at += piece) yield archive.subarray(at, at + piece)
  }
  const found: unknown[] = []
  for await (const { path, type, content, target, verification } of tarEntries(pieces(), root)) {
    const text = Buffer.concat(await allOf(content)).toString()
    expect(verification).toBe('unverified')
    found.push([path, type, target ?? text])
  }
  return found
}

it('reads files, directories and symlinks, with names of any length', async () => {
  const long = `d/${'n'.repeat(150)}`
  const archive = [
    member({ name: 'd/', kind: '5' }),
    member({ name: 'd/a', content: 'x'.repeat(700) }),
    member({ name: 'p', prefix: 'd', kind: '5' }),
    member({ name: 'b', prefix: 'd/p', content: 'prefixed' }),
    member({ name: 'd/link', kind: '2', link: 'a' }),
    member(pax('path', long)),
    member({ name: 'cut', content: 'pax' }),
    member({ name: '././@LongLink', kind: 'L', content: `${long}2\0` }),
    member({ name: 'cut', content: 'gnu' }),
    end,
  ]
  for (const piece of [1, 100, 512, 5000]) {
    expect(await read(Buffer.concat(archive), piece)).toEqual([
      ['d', 'directory', ''],
      ['d/a', 'file', 'x'.repeat(700)],
      ['d/p', 'directory', ''],
      ['d/p/b', 'file', 'prefixed'],
      ['d/link', 'symlink', 'a'],
      [long, 'file', 'pax'],
      [`${long}2`, 'file', 'gnu'],
    ])
  }
})

it('calls the first member what was asked for, whoever sent it has another name for it', async () => {
  const file = Buffer.concat([member({ name: '.bash_login', content: 'evil' }), end])
  expect(await read(file, 100, 'photo.jpg')).toEqual([['photo.jpg', 'file', 'evil']])
  const folder = [member({ name: '.ssh/', kind: '5' }), member({ name: '.ssh/config', content: 'evil' }), end]
  expect(await read(Buffer.concat(folder), 100, 'photos')).toEqual([
    ['photos', 'directory', ''],
    ['photos/config', 'file', 'evil'],
  ])
})

it('passes over content that its reader left', async () => {
  const archive = Buffer.concat([
    member({ name: 'd', kind: '5' }),
    member({ name: 'd/a', content: 'x'.repeat(700) }),
    member({ name: 'd/b', content: 'b' }),
    end,
  ])
  const names: string[] = []
  for await (const { path } of tarEntries(
    (async function* () {
      yield archive
    })(),
    'd',
  ))
    names.push(path)
  expect(names).toEqual(['d', 'd/a', 'd/b'])
})

const folder = { name: 'd', kind: '5' }

it.each([
  ['../x', [{ name: '../x' }]],
  ['an absolute name', [{ name: '/etc/passwd' }]],
  ['a backslash', [{ name: 'a\\b' }]],
  [
    'a name through a symlink',
    [folder, { name: 'd/l', kind: '2', link: '/etc' }, { name: 'd/l/passwd', content: 'x' }],
  ],
  ['a file in the place of a symlink', [folder, { name: 'd/l', kind: '2', link: '/etc/passwd' }, { name: 'd/l' }]],
  [
    'a symlink in the place of a directory, and a name through it',
    [
      folder,
      { name: 'd/l', kind: '5' },
      { name: 'd/l', kind: '2', link: '/etc' },
      { name: 'd/l/passwd', content: 'x' },
    ],
  ],
  ['a file beside the first', [{ name: 'a' }, { name: 'b' }]],
  ['a file below a file', [{ name: 'a' }, { name: 'a/b' }]],
  ['a file before its directory', [folder, { name: 'd/p/b' }]],
  ['a hard link', [{ name: 'a', kind: '1', link: '/etc/passwd' }]],
  ['a device', [{ name: 'd', kind: '3' }]],
  ['a record that is none', [{ name: 'x', kind: 'x', content: '99999 path=y\n' }]],
  ['nothing', []],
])('refuses %s', async (_, members: Member[]) => {
  const archive = Buffer.concat([...members.map(member), end])
  await expect(read(archive)).rejects.toMatchObject({ code: 'bad_content' })
})

it('tells an archive without its end', async () => {
  const archive = Buffer.concat([member({ name: 'a', content: 'x'.repeat(700) }), end])
  for (const length of [0, 300, 512, 900, 1536]) {
    await expect(read(archive.subarray(0, length))).rejects.toMatchObject({ code: 'truncated' })
  }
})
