import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, type KuboRPCClient } from 'kubo-rpc-client'
import { CID } from 'multiformats/cid'
import { expect, onTestFinished, test } from 'vitest'
import { all, type Served, serve } from './serve.ts'

const hasCurl = spawnSync('curl', ['--version']).status === 0

async function withClient(): Promise<Served & { ipfs: KuboRPCClient }> {
  const served = await serve()
  return { ...served, ipfs: create({ url: `${served.url}/api/v0` }) }
}

async function text(stream: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await all(stream)).toString()
}

test('kubo-rpc-client adds a file, reads it whole and in part, pins, lists and unpins it', async () => {
  const { ipfs } = await withClient()
  const { cid, path, size } = await ipfs.add('hello world')
  expect([String(cid), path, size]).toEqual(['Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD', String(cid), 19])
  expect(await text(ipfs.cat(cid))).toBe('hello world')
  expect(await text(ipfs.cat(cid, { offset: 6, length: 3 }))).toBe('wor')
  const other = await ipfs.add('other', { pin: false, cidVersion: 1 })
  expect(String(await ipfs.pin.add(other.cid, { name: 'an "other"' }))).toBe(String(other.cid))
  const pins = await all(ipfs.pin.ls({ names: true }))
  expect(new Map(pins.map((pin) => [String(pin.cid), pin.name]))).toEqual(
    new Map([
      [String(cid), undefined],
      [String(other.cid), 'an "other"'],
    ]),
  )
  await ipfs.pin.rm(cid)
  await expect(ipfs.pin.rm(cid)).rejects.toThrow('not pinned or pinned indirectly')
  const third = await ipfs.add('third', { pin: false })
  expect(await ipfs.pin.update(other.cid, third.cid)).toEqual([other.cid, third.cid])
  const missing = CID.parse('QmQy2Dw4Wk7rdJKjThjYXzfFJNaRKRHhHP5gHHXroJMYxk')
  await expect(text(ipfs.cat(missing))).rejects.toThrow(String(missing))
})

test('kubo-rpc-client adds directories and streams, and hears of progress', async () => {
  const { ipfs } = await withClient()
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 10; i++) yield new Uint8Array(100_000).fill(i)
  }
  const heard: number[] = []
  const files = [
    { path: 'dir/größe & +.txt', content: 'with a hard name' },
    { path: 'dir/sub/stream.bin', content: chunks() },
    { path: 'dir/empty' },
  ]
  const added = await all(ipfs.addAll(files, { progress: (bytes) => void heard.push(bytes) }))
  expect(added.map(({ path }) => path).toSorted()).toEqual(
    ['dir', 'dir/empty', 'dir/größe & +.txt', 'dir/sub', 'dir/sub/stream.bin'].toSorted(),
  )
  expect(added.at(-1)!.path).toBe('dir')
  expect(Math.max(...heard)).toBe(1_000_000)
  const root = added.at(-1)!.cid
  expect(await text(ipfs.cat(`/ipfs/${root}/dir/../größe & +.txt`))).toBe('with a hard name')
  const stream = Buffer.concat(await all(ipfs.cat(`${root}/sub/stream.bin`)))
  expect([stream.length, stream.at(-1)]).toEqual([1_000_000, 9])
  const wrapped = await ipfs.add({ path: 'f', content: 'x' }, { wrapWithDirectory: true })
  expect(wrapped.path).toBe('')
  expect((await all(ipfs.pin.ls({ type: 'recursive' }))).map(({ cid }) => String(cid)).toSorted()).toEqual(
    [root, wrapped.cid].map(String).toSorted(),
  )
})

test('kubo-rpc-client puts and gets blocks and objects, and archives', async () => {
  const { ipfs } = await withClient()
  const block = await ipfs.block.put(Buffer.from('block'))
  expect(Buffer.from(await ipfs.block.get(block)).toString()).toBe('block')
  expect(await ipfs.block.stat(block)).toEqual({ cid: block, size: 5 })
  const node = await ipfs.dag.put({ a: [1, block] })
  expect(await ipfs.dag.get(node, { path: 'a/0' })).toMatchObject({ value: 1 })
  expect((await ipfs.dag.resolve(node, { path: 'a/1' })).cid).toEqual(block)
  const car = ipfs.dag.export(node)
  const other = await withClient()
  const roots = await all(other.ipfs.dag.import([car]))
  expect(roots.map(({ root }) => String(root.cid))).toEqual([String(node)])
  expect(await text(other.ipfs.get(block))).toContain('block')
  expect(await ipfs.version()).toHaveProperty('version')
})

test.skipIf(!hasCurl)('curl adds a file under any field name, reads, pins and unpins it', async () => {
  const { url } = await serve()
  const dir = await mkdtemp(join(tmpdir(), 'ipfs-curl-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  await writeFile(join(dir, 'a file.txt'), 'hello world')
  await writeFile(join(dir, 'big'), new Uint8Array(3_000_000).fill(7))
  const curl = async (...args: string[]): Promise<string> => {
    const child = spawn('curl', ['--silent', '--show-error', '-X', 'POST', ...args], { cwd: dir })
    child.stdin.end()
    return text(child.stdout)
  }
  const cid = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'
  expect(await curl('-F', 'file=@a file.txt', `${url}/api/v0/add`)).toBe(
    `{"Name":"a file.txt","Hash":"${cid}","Size":"19"}\n`,
  )
  expect(await curl('-F', 'whatever=@a file.txt', '-F', 'b=@big', `${url}/api/v0/add?wrap-with-directory=1`)).toMatch(
    /"Name":"big".*\n{"Name":"","Hash":"Qm/,
  )
  expect(await curl(`${url}/api/v0/cat?arg=${cid}`)).toBe('hello world')
  expect(await curl(`${url}/api/v0/pin/add?arg=${cid}`)).toBe(`{"Pins":["${cid}"]}\n`)
  expect(await curl(`${url}/api/v0/pin/rm?arg=${cid}`)).toBe(`{"Pins":["${cid}"]}\n`)
  const big = JSON.parse(await curl('-F', 'f=@big', `${url}/api/v0/add`)) as { Hash: string }
  await curl('-o', 'copy', `${url}/api/v0/cat?arg=${big.Hash}`)
  expect((await readFile(join(dir, 'copy'))).equals(await readFile(join(dir, 'big')))).toBe(true)
})
