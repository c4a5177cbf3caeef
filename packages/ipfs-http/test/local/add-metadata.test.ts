import { expect, test } from 'vitest'
import type { AddEntry } from '../../src/backend.ts'
import { addAll, file, openTemp } from './support.ts'

// CIDs from Kubo, test/sharness/t0047-add-mode-mtime.sh at commit 095c18e08612b1f6eebeacedbc66277600ada99f.
const preserve = { preserveMode: true, preserveMtime: true } as const

async function cidsOf(...entries: readonly AddEntry[]): Promise<string[]> {
  const backend = await openTemp()
  const events = await addAll(backend, entries, { ...preserve, onlyHash: true })
  return events.flatMap((event) => (event.type === 'added' ? [String(event.cid)] : []))
}

test.each<readonly [string, { mode?: number; mtime?: { secs: bigint; nsecs?: number } }]>([
  ['QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH', {}],
  ['QmQLgxypSNGNFTuUPGCecq6dDEjb6hNB5xSyVmP3cEuNtq', { mode: 0o640 }],
  ['QmQ6kErEW8kztQFV8vbwNU8E4dmtGsYpRiboiLxUEwibvj', { mtime: { secs: 1604320482n } }],
  ['QmYkvboLsvLFcSYmqVJRxvBdYRQLroLv9kELf3LRiCqBri', { mode: 0o640, mtime: { secs: 1604320482n } }],
  ['QmaKH8H5rXBUBCX4vdxi7ktGQEL7wejV7L9rX2qpZjwncz', { mtime: { secs: 1603539720n, nsecs: 54321 } }],
  ['QmUkxrtBA8tPjwCYz1HrsoRfDz6NgKut3asVeHVQNH4C8L', { mode: 0o764, mtime: { secs: 1603539720n, nsecs: 54321 } }],
])('an empty file with metadata is %s', async (cid, metadata) => {
  expect(await cidsOf({ ...file('a'), ...metadata })).toEqual([cid])
})

test.each<readonly [string, { mode?: number; mtime: { secs: bigint; nsecs?: number } }]>([
  ['QmbJwotgtr84JxcnjpwJ86uZiyMoxbZuNH4YrdJMypkYaB', { mtime: { secs: 1604320482n } }],
  ['QmV1Uot2gy4bhY9yvYiZxhhchhyYC6MKKoGV1XtWNmpCLe', { mtime: { secs: 1603539720n }, mode: 0o764 }],
  ['QmPHYCxYvvHj6VxiPNJ3kXxcPsnJLDYUJqsDJWjvytmrmY', { mtime: { secs: 1603539720n, nsecs: 54321 } }],
])('a symlink has a time and no mode: %s', async (cid, metadata) => {
  expect(await cidsOf({ type: 'symlink', path: 'a', target: 'nothing', ...metadata })).toEqual([cid])
})

test('a symlink to nothing has an empty target, as in Kubo 0.41', async () => {
  const link = { type: 'symlink', path: 'a', target: '' } as const
  expect(await cidsOf(link)).toEqual(['QmYEBcNGyt1PQxXbBUT56p4MKB54Xz6STbZHaPAwtrgX4N'])
  expect(await cidsOf({ ...link, mtime: { secs: 5n } })).toEqual(['QmVmNXSPr2cruBJPebnsWMGVvfXMZG3pkEUhCBmtdeKbqB'])
})

test.each<readonly [string, { mode?: number; mtime?: { secs: bigint; nsecs?: number } }]>([
  ['QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn', {}],
  ['QmRviohgafvCsbkiTgfQFipbuXJ6k1YtoiaQW4quttJPKu', { mode: 0o755 }],
  ['QmYMy7CZGb498QFSQBF5ZFwv1FYbrAtYZMe4VxhDXxAcvf', { mtime: { secs: 1655158722n } }],
  ['QmQ1ABnw2iip7sj23EzzBZ9T77KyyfESP6SUboiXPyzNQe', { mode: 0o713 }],
  ['QmZFdCLJay31hT3Tx1LygJ7XfiLEs3qLCXtbeBfhf38aZg', { mtime: { secs: 1603539720n, nsecs: 54321 } }],
])('an empty directory with metadata is %s', async (cid, metadata) => {
  expect(await cidsOf({ type: 'directory', path: 'a', ...metadata })).toEqual([cid])
})

test('a tree with modes and times has the CIDs of Kubo, in whatever order its entries come', async () => {
  const at = (seconds: bigint): { secs: bigint } => ({ secs: 1655158632n + seconds })
  const entries = (): AddEntry[] => [
    { type: 'directory', path: 't', mode: 0o700, mtime: at(0n) },
    { type: 'directory', path: 't/dir1', mode: 0o755, mtime: at(90n) },
    { type: 'directory', path: 't/dir2', mode: 0o755, mtime: at(50n) },
    { type: 'directory', path: 't/dir2/sub1', mode: 0o755, mtime: at(40n) },
    { type: 'symlink', path: 't/dir2/sub1/link1', target: '../sub2/file3', mode: 0o777, mtime: at(20n) },
    { type: 'directory', path: 't/dir2/sub1/sub2', mode: 0o755, mtime: at(30n) },
    { ...file('t/dir2/sub1/sub2/file3'), mode: 0o644, mtime: at(10n) },
    { type: 'directory', path: 't/dir3', mode: 0o755, mtime: at(70n) },
    { ...file('t/dir3/file2'), mode: 0o644, mtime: at(60n) },
    { ...file('t/file1'), mode: 0o644, mtime: at(80n) },
  ]
  const expected = [
    'QmRCG3Pprg4jbhfYBzVzfJVyneFHnBquPGXwvXU3jSuf5j',
    'QmReHCn4BSJJdtd6Le8Hd8Puai6TmgpPCYb13wyM7FD9AD',
    'QmSioyvQuXetxg7uo8FswGn9XKKEsisDq1HTMzGyWbw2R6',
    'QmTMoVgJKhPrz9DfkvT132mxyBXNae5azXQ42WbM9abdSE',
    'QmVzXqpuQGCAgRwEbGuE9xe8Fidi1HEXaPKsQEFEbPJW9j',
    'QmW6Nqy2nziduAp3UGx2a52gtSUsYzhVcZMuPdxBRnwCyP',
    'QmeQwX5qAX18fcPDxDdkfM6ttuFCZetF5hgeUa6ov8D5oc',
    'QmefofUNwC2U3Xp87rB1x8Aws6AdsDuoXR7B9u2RkEZ4dQ',
    'Qmeu24TFarJwLzJgMTDYDJTr4BMGnzafoSnfxov1513abW',
    'Qmf82bbFg2e8HmcqiewutVVw5NoMpiXZD57LpLdC1poBuH',
  ]
  expect((await cidsOf(...entries())).toSorted()).toEqual(expected)
  expect((await cidsOf(...entries().toReversed())).toSorted()).toEqual(expected)
})

test('metadata that was not asked for is left out', async () => {
  const backend = await openTemp()
  const [event] = await addAll(backend, [{ ...file('a'), mode: 0o640, mtime: { secs: 1n } }])
  expect(event).toEqual({ type: 'added', path: 'a', cid: expect.anything(), size: 6n })
  expect(String(event?.type === 'added' && event.cid)).toBe('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH')
})
