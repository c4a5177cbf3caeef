import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AddEntry, ByteStream } from '../../src/backend.ts'
import { readEntries } from '../../src/server/entries.ts'
import { boundaryOf, readParts } from '../../src/server/multipart.ts'
import { all, boundary, form, type PartText } from './serve.ts'

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(content: ByteStream): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function contents(body: Uint8Array, size: number, marker = boundary): Promise<Buffer[]> {
  const found: Buffer[] = []
  const parts = readParts(inPieces(body, size), { boundary: marker, maxParts: 100, maxHeaderBytes: 1_000 })
  for await (const part of parts) found.push(await read(part.content))
  return found
}

async function entriesOf(...parts: readonly PartText[]): Promise<(Omit<AddEntry, 'content'> & { content?: string })[]> {
  const found: (Omit<AddEntry, 'content'> & { content?: string })[] = []
  for await (const entry of readEntries(inPieces(form(...parts).body, 7), boundary)) {
    found.push(entry.type === 'file' ? { ...entry, content: String(await read(entry.content)) } : entry)
  }
  return found
}

const pathOf = async (file: string | undefined): Promise<string | undefined> => (await entriesOf({ file }))[0]?.path

test('what was put into parts comes out of them, however the body is cut, and whatever looks like a boundary', async () => {
  // Pieces of boundaries are likelier than chance would have them.
  const bytes = fc
    .array(fc.constantFrom('\r', '\n', '\r\n', '--', '\r\n--', '\r\n--a', '\r\n--ab', 'a', 'b', '\r\n--a\r\n--'), {
      maxLength: 12,
    })
    .map((pieces) => pieces.join(''))
    .filter((content) => !`\r\n${content}\r\n`.includes('\r\n--abc'))
  await fc.assert(
    fc.asyncProperty(fc.array(bytes, { maxLength: 4 }), fc.integer({ min: 1, max: 40 }), async (parts, size) => {
      const body = parts.map((content) => `--abc\r\nX: y\r\n\r\n${content}\r\n`).join('')
      const found = await contents(Buffer.from(`${body}--abc--`), size, 'abc')
      expect(found.map(String)).toEqual(parts)
    }),
    { numRuns: 500 },
  )
})

test('a preamble, an epilogue, spaces after a boundary and a part without a header mean nothing', async () => {
  const body = 'before\r\n--b \t\r\n\r\none\r\n--b\r\nA: 1\r\n\r\n--b\r\nA: 1\r\n\r\n\r\n--b--\r\nafter'
  for (const size of [1, 3, 1_000]) {
    expect((await contents(Buffer.from(body), size, 'b')).map(String)).toEqual(['one', '', ''])
  }
})

test('what was not read of a part is skipped', async () => {
  const { body } = form({ content: 'a'.repeat(100) }, { content: 'second' })
  const found: string[] = []
  for await (const part of readParts(inPieces(body, 10), { boundary, maxParts: 9, maxHeaderBytes: 1_000 })) {
    for await (const chunk of part.content) {
      found.push(String(chunk))
      break
    }
  }
  expect(found[0]).toMatch(/^a+$/)
  expect('second'.startsWith(found[1]!)).toBe(true)
  expect(found).toHaveLength(2)
})

test('a body that ends before its last boundary is broken, wherever it ends', async () => {
  const { body } = form({ file: 'a', content: 'text' }, { file: 'b', content: 'more' })
  for (let end = 0; end < body.length - 4; end++) {
    await expect(contents(body.subarray(0, end), 16), String(end)).rejects.toMatchObject({ code: 'bad_content' })
  }
})

test('headers, parts and names are bounded', async () => {
  const parts = (maxParts: number, maxHeaderBytes: number, body: string): Promise<unknown> =>
    all(readParts(inPieces(Buffer.from(body), 100), { boundary: 'b', maxParts, maxHeaderBytes }))
  const three = '--b\r\n\r\n\r\n'.repeat(3)
  await expect(parts(3, 100, `${three}--b--`)).resolves.toHaveLength(3)
  await expect(parts(2, 100, `${three}--b--`)).rejects.toThrow('an upload may have 2 parts')
  await expect(parts(9, 300, `--b\r\nA: ${'x'.repeat(10_000)}`)).rejects.toThrow(
    'the header of a part may have 300 bytes',
  )
  await expect(parts(9, 300, `--b${' '.repeat(10_000)}`)).rejects.toThrow('the header of a part may have 300 bytes')
  await expect(entriesOf({ type: 'application/symlink', content: 'x'.repeat(5_000) })).rejects.toThrow('4096 bytes')
})

test('a header that never ends is given up after its bound, not at its end', async () => {
  let sent = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('--b\r\nA: ')
    for (;;) yield Buffer.alloc(1_000, (sent++, 'x'))
  }
  await expect(all(readEntries(endless(), 'b'))).rejects.toMatchObject({ code: 'too_large' })
  expect(sent).toBeLessThan(20)
})

test('names are read as Kubo reads them: escapes undone, and never above the upload', async () => {
  expect(await pathOf('dir%2Fsub%2Ffile.txt')).toBe('dir/sub/file.txt')
  expect(await pathOf('a+b%2Bc')).toBe('a b+c')
  expect(await pathOf('caf%C3%A9')).toBe('café')
  expect(await pathOf('café ☕')).toBe('café ☕')
  expect(await pathOf('100%')).toBe('100%')
  expect(await pathOf('../../etc/passwd')).toBe('etc/passwd')
  expect(await pathOf('%2Fetc%2F..%2F..%2Fpasswd')).toBe('passwd')
  expect(await pathOf('a//b/./c/')).toBe('a/b/c')
  expect(await pathOf('..')).toBe('')
  expect(await pathOf('C:\\\\dir\\\\x')).toBe('C:\\dir\\x')
  expect(await pathOf('say \\"hi\\"')).toBe('say "hi"')
  expect(await pathOf(`plain"; filename*=UTF-8''caf%C3%A9; x="`)).toBe('café')
  expect(await pathOf(`plain"; filename*=UTF-8''%FF; x="`)).toBe('plain')
  expect(await pathOf(`plain"; filename*=latin1''%E9; x="`)).toBe('plain')
  expect(await pathOf('')).toBe('')
  expect(await pathOf(undefined)).toBe('')
  await expect(pathOf('a%00b')).rejects.toThrow('zero byte')
  await expect(pathOf('a%FF')).rejects.toThrow('not UTF-8')
})

test('the type of a part and what stands behind its field name make the entry', async () => {
  expect(
    await entriesOf(
      { file: 'd', type: 'application/x-directory', name: 'dir-1?mode=0755' },
      { file: '', type: 'application/x-directory' },
      { file: 'd%2Fl', type: 'application/symlink', content: '../x' },
      { file: 'd%2Ff', type: 'text/plain; charset=utf-8', name: 'file-2?mtime=-5&mtime-nsecs=7&mode=9', content: 'hi' },
      { file: 'd%2Fg', name: 'whatever', content: '' },
    ),
  ).toEqual([
    { type: 'directory', path: 'd', mode: 0o755, mtime: { secs: 0n } },
    { type: 'directory', path: '', mode: undefined, mtime: undefined },
    { type: 'symlink', path: 'd/l', target: '../x', mode: undefined, mtime: undefined },
    { type: 'file', path: 'd/f', content: 'hi', mode: undefined, mtime: { secs: -5n, nsecs: 7 } },
    { type: 'file', path: 'd/g', content: '', mode: undefined, mtime: undefined },
  ])
})

test('of a mode the permissions count, and a time is any of 64 bits', async () => {
  const headOf = async (name: string): Promise<unknown> => {
    const [entry] = await entriesOf({ file: 'x', name })
    return [entry!.mode, entry!.mtime]
  }
  expect(await headOf('file?mode=020000000755')).toEqual([0o755, { secs: 0n }])
  expect(await headOf('file?mode=&mtime=')).toEqual([undefined, undefined])
  expect(await headOf('file')).toEqual([undefined, undefined])
  expect(await headOf('file?mode=100644&mtime=-9223372036854775808')).toEqual([0o644, { secs: -(2n ** 63n) }])
  expect(await headOf('file?mode=x&mtime=9223372036854775808')).toEqual([undefined, undefined])
  expect(await headOf('file?mtime-nsecs=7')).toEqual([undefined, { secs: 0n, nsecs: 7 }])
  expect(await headOf('file?mtime=1&mtime-nsecs=1000000000')).toEqual([undefined, { secs: 2n, nsecs: 0 }])
  expect(await headOf('file?mtime=1&mtime-nsecs=-1')).toEqual([undefined, { secs: 0n, nsecs: 999_999_999 }])
})

test('the boundary is a parameter of multipart/form-data', () => {
  expect(boundaryOf('multipart/form-data; boundary=abc')).toBe('abc')
  expect(boundaryOf('Multipart/Form-Data; charset=utf-8; Boundary="a b;c"')).toBe('a b;c')
  expect(boundaryOf('application/json')).toBeUndefined()
  expect(boundaryOf(undefined)).toBeUndefined()
  expect(() => boundaryOf('multipart/form-data')).toThrow('no multipart boundary param')
  expect(() => boundaryOf(`multipart/form-data; boundary=${'a'.repeat(201)}`)).toThrow('no multipart boundary param')
})
