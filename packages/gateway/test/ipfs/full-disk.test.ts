import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, ftruncateSync, openSync, statfsSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunningGateway } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { basic, key, refusedUrl, secret, sleep, startTestGateway } from '../support.ts'

// A disk without a free byte, which somebody else keeps full. The table stands in docs/results/ipfs.md.

const contentBytes = 3_000_000

it('a full disk serves, unpins, tells, starts, collects and recovers', { timeout: 120_000 }, async ({ skip }) => {
  const disk = await mkdtemp(join(tmpdir(), 'wayleave-full-'))
  onTestFinished(() => rm(disk, { recursive: true, force: true }))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', disk], { stdio: 'ignore' })
  } catch {
    return skip('a small file system cannot be mounted here')
  }
  onTestFinished(() => void execFileSync('umount', ['-l', disk]))
  const filler = openSync(join(disk, 'filler'), 'w')
  onTestFinished(() => closeSync(filler))
  let gateway: RunningGateway
  const start = async (): Promise<void> => {
    const project = { name: 'demo', keys: [{ key, secret }], ipfs: { downloadBytes: 1e9 } }
    gateway = await startTestGateway([await refusedUrl()], {
      dataDir: join(disk, 'data'),
      listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
      ipfs: { backend: 'local' },
      projects: [project],
    })
  }
  await start()
  onTestFinished(() => gateway.close())

  const call = async (command: string, content?: Uint8Array): Promise<{ status: number; body: Buffer }> => {
    const form = content && new FormData()
    form?.append('file', new Blob([content as Uint8Array<ArrayBuffer>]))
    const headers = { authorization: basic(key, secret) }
    const answer = await fetch(`${gateway.ipfs}/api/v0/${command}`, { method: 'POST', headers, body: form ?? null })
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) }
  }
  const kept = new Map<string, Buffer>()
  const add = async (): Promise<string> => {
    const content = randomBytes(contentBytes)
    const { status, body } = await call('add', content)
    const reported = JSON.parse(String(body)) as { readonly Hash: string; readonly Message?: string }
    if (status === 200) kept.set(reported.Hash, content)
    return reported.Message === undefined
      ? String(status)
      : `${status} ${reported.Message.replace(/^.*(?=the disk)/, '')}`
  }
  /** Reads everything that was acknowledged, and compares it. */
  const cat = async (): Promise<string> => {
    for (const [cid, content] of kept) {
      const { status, body } = await call(`cat?arg=${cid}`)
      if (status !== 200 || !body.equals(content)) return `${status} ${body.length} bytes of ${cid}`
    }
    return '200 whole'
  }
  const pinLs = async (): Promise<string> => {
    const { status, body } = await call('pin/ls?type=recursive')
    const { Keys } = JSON.parse(String(body)) as { readonly Keys: object }
    expect(Object.keys(Keys).toSorted()).toEqual([...kept.keys()].toSorted())
    return `${status} all`
  }
  const pinRm = async (): Promise<string> => {
    const [cid] = kept.keys()
    kept.delete(cid!)
    return String((await call(`pin/rm?arg=${cid}`)).status)
  }
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(disk)
    return bavail * bsize
  }
  const fill = (): void => {
    for (let bytes = 1_048_576; bytes >= 4_096; bytes /= 4) {
      try {
        for (;;) writeSync(filler, randomBytes(bytes))
      } catch {
        // Less may fit.
      }
    }
  }
  /** Tells `/readyz` and `/status` of the parts that a disk concerns. */
  const reported = async (): Promise<string> => {
    const ready = await (await fetch(`${gateway.admin}/readyz`)).text()
    const { degraded } = (await (await fetch(`${gateway.admin}/status`)).json()) as { degraded: readonly string[] }
    const [, ipfs] = /^ipfs: ([^:\n]*)/m.exec(ready) ?? []
    return `${ipfs}; ${degraded.filter((part) => !part.startsWith('network')).join(', ')}`
  }
  /** The bytes that come back once a collection has run. */
  const cameBack = async (): Promise<boolean> => {
    for (let i = 0; i < 200 && freeBytes() < 0.9 * contentBytes; i++) await sleep(100)
    return freeBytes() >= 0.9 * contentBytes
  }
  const rows: Record<string, unknown>[] = []
  const row = async (moment: string): Promise<void> => {
    rows.push({ moment, reported: await reported(), cat: await cat(), pinLs: await pinLs(), add: await add() })
  }

  for (let i = 0; i < 3; i++) expect(await add()).toBe('200')
  await row('before')
  fill()
  // Until the gateway has seen it, and the disk is fuller yet.
  await expect.poll(reported, { timeout: 10_000 }).toContain('store')
  fill()
  expect(freeBytes()).toBe(0)
  await row('during')
  rows.push({ moment: 'unpinned', pinRm: await pinRm(), cameBack: await cameBack(), cat: await cat() })
  await gateway!.close()
  fill()
  await start()
  fill()
  await row('after a restart')
  rows.push({ moment: 'unpinned', pinRm: await pinRm(), cameBack: await cameBack(), cat: await cat() })
  ftruncateSync(filler, 0)
  await expect.poll(reported, { timeout: 10_000 }).toBe('ok; ')
  await row('with room again')

  const full = 'its disk is full'
  const refused = '503 the disk is full: unpin content, or free space'
  const whole = { cat: '200 whole', pinLs: '200 all' }
  expect(rows).toEqual([
    { moment: 'before', reported: 'ok; ', ...whole, add: '200' },
    {
      moment: 'during',
      reported: expect.stringMatching(/^its disk is full; store, ipfs(?:, usage)?$/),
      ...whole,
      add: refused,
    },
    { moment: 'unpinned', pinRm: '200', cameBack: true, cat: '200 whole' },
    { moment: 'after a restart', reported: expect.stringContaining(full), ...whole, add: refused },
    { moment: 'unpinned', pinRm: '200', cameBack: true, cat: '200 whole' },
    { moment: 'with room again', reported: 'ok; ', ...whole, add: '200' },
  ])
})
