import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Caller, echoNode, key, serve } from './served.ts'

const token = 'an-admin-token-of-the-tests'

interface Replayed {
  readonly changes: readonly string[]
  readonly problems: readonly string[]
  readonly refused: readonly object[]
}

it('calls of all workers are replayed against the file, as it is changed', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-replay-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const { rpc, admin, file } = await serve({
    dataDir,
    admin: { token },
    cache: false,
    networks: { one: { kind: 'evm', chainId: 1, upstreams: [await echoNode()], followHeads: false } },
    projects: [{ name: 'a', keys: [{ key }] }],
  })
  const callers = Array.from({ length: 16 }, () => new Caller(rpc))
  for (const caller of callers) await caller.call()
  const replay = async (): Promise<Replayed> => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${admin}/admin/v1/replay`, { method: 'POST', headers })
    return (await response.json()) as Replayed
  }
  expect(await replay()).toMatchObject({ calls: 16, changes: [], networks: [{ name: 'one' }] })

  const config = JSON.parse(await readFile(file, 'utf8')) as object
  await writeFile(file, JSON.stringify({ ...config, methods: { deny: ['eth_*'] } }))
  const { changes, refused } = await replay()
  expect(changes.join('\n')).toContain('methods')
  expect(refused).toEqual([{ reason: 'method', what: expect.stringMatching(/^eth_/), calls: 16 }])

  await writeFile(file, '{')
  expect((await replay()).problems).not.toEqual([])
})
