import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PinVerification } from '@wayleave/admin-api'
import { realSurroundings } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { basic, key, refusedUrl, secret, sleep, startTestGateway } from '../support.ts'

const token = 'a-token-of-an-operator'

it('a rotten block is reported within one run, named with its pin and projects, and repaired by the next upload', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-rot-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const gateway = await startTestGateway(
    [await refusedUrl()],
    {
      dataDir,
      admin: { token },
      listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
      ipfs: { backend: 'local' },
      projects: [
        { name: 'one', keys: [{ key, secret }] },
        { name: 'two', keys: [{ key: 'another-key', secret }] },
      ],
    },
    { surroundings: { ...realSurroundings, collectEveryMs: 20 } },
  )
  onTestFinished(() => gateway.close(0))
  const add = async (user: string): Promise<string> => {
    const form = new FormData()
    form.append('file', new Blob([Array.from({ length: 120 }, (_, at) => `word ${at}`).join(' ')]))
    const answer = await fetch(`${gateway.ipfs}/api/v0/add?chunker=size-100`, {
      method: 'POST',
      headers: { authorization: basic(user, secret) },
      body: form,
    })
    return ((await answer.json()) as { readonly Hash: string }).Hash
  }
  const ask = async (path: string, method = 'GET'): Promise<string> => {
    const answer = await fetch(`${gateway.admin}${path}`, { method, headers: { authorization: `Bearer ${token}` } })
    return answer.text()
  }
  /** Asks until the answer has this text. */
  const until = async (path: string, text: string): Promise<string> => {
    for (;;) {
      const answer = await ask(path)
      if (answer.includes(text)) return answer
      await sleep(20)
    }
  }
  const verify = async (): Promise<PinVerification> => {
    await ask('/admin/v1/ipfs/verify', 'POST')
    return JSON.parse(await until('/admin/v1/ipfs/verify', '"state":"done"')) as PinVerification
  }

  const cid = await add(key)
  await add('another-key')
  expect(await ask('/admin/v1/ipfs/verify')).toContain('not_found')
  expect(await ask('/readyz')).toContain('ipfs: ok')
  expect(await ask('/metrics')).toContain('wayleave_ipfs_collection_failed 0')
  expect(await verify()).toMatchObject({ bad: 0, badBlocks: [], blocks: 11 })

  const files = globSync(`${dataDir}/ipfs/blocks/*/*.data`)
  const bytes = await Promise.all(files.map((file) => readFile(file)))
  const longest = bytes.findIndex(({ length }) => length === Math.max(...bytes.map((each) => each.length)))
  const rotten = Buffer.from(bytes[longest]!)
  rotten[rotten.length >> 1]! ^= 1
  await writeFile(files[longest]!, rotten)

  expect(await until('/readyz', 'collection fails')).not.toContain(cid)
  const status = JSON.parse(await ask('/status')) as { readonly degraded: readonly string[]; readonly ipfs: object }
  expect(status.degraded).toContain('ipfs')
  expect(status.ipfs).toMatchObject({ state: 'degraded', collection: expect.stringContaining(`below the pin ${cid}`) })
  expect(await ask('/metrics')).toContain('wayleave_ipfs_collection_failed 1')
  const { badBlocks, ...found } = await verify()
  expect(found).toMatchObject({ bad: 1, blocks: 1 })
  expect(badBlocks).toEqual([{ cid, pin: cid, projects: ['one', 'two'], reason: expect.stringContaining('broken') }])

  expect(await add(key)).toBe(cid)
  await until('/readyz', 'ipfs: ok')
  expect(await ask('/metrics')).toContain('wayleave_ipfs_collection_failed 0')
  expect(await verify()).toMatchObject({ bad: 0, blocks: 11 })
})
