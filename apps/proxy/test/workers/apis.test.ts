import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startFeeNode } from './fee-node.ts'
import { Caller, echoNode, key, metricOf, serve } from './served.ts'

const secret = 'ffeeddccbbaa99887766554433221100'
const feesOf = (rpc: URL) => new Caller(rpc).ask('GET', `/v3/${key}/networks/1/suggestedGasFees`)

it('the gas API answers the same at each worker, each of which asks the node once at most, and at one that comes later', async () => {
  const { url, asked } = await startFeeNode()
  const { rpc, admin, workers } = await serve({
    defaultNetwork: 'one',
    networks: { one: { kind: 'evm', chainId: 1, upstreams: [url], gas: { blocksOnDemand: true } } },
    projects: [{ name: 'a', keys: [{ key }] }],
  })
  // So many that each worker has some, but for one time in a million.
  const answers = await Promise.all(Array.from({ length: 20 }, () => feesOf(rpc)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
  expect(JSON.parse(answers[0]!.body)).toMatchObject({ high: { suggestedMaxFeePerGas: expect.any(String) as string } })
  expect([1, 2]).toContain(asked.filter((method) => method === 'eth_feeHistory').length)

  const [first] = await workers()
  process.kill(first!, 'SIGKILL')
  await expect.poll(() => metricOf(admin, 'wayleave_worker_restarts_total')).toBe(1)
  await expect.poll(async () => (await fetch(`${admin}/readyz`)).text()).toContain('workers: 2 of 2 serve')
  const later = await Promise.all(Array.from({ length: 20 }, () => feesOf(rpc)))
  expect(new Set(later.map(({ status, body }) => `${status} ${body}`))).toEqual(new Set([`200 ${answers[0]!.body}`]))
})

it('the IPFS API keeps and passes content while workers are killed', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-workers-ipfs-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const { admin, ipfs, workers } = await serve({
    dataDir,
    listen: { ipfs: '127.0.0.1:0' },
    networks: { one: { kind: 'evm', chainId: 1, upstreams: [await echoNode()] } },
    ipfs: { backend: 'local' },
    projects: [{ id: 'a', name: 'a', keys: [{ key, secret }] }],
  })
  const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
  const ask = (command: string, body?: FormData): Promise<Response> =>
    fetch(`${ipfs}/api/v0/${command}`, { method: 'POST', headers: { authorization }, ...(body && { body }) })

  const contents = Array.from({ length: 8 }, () => randomBytes(2_000_000))
  const adding = contents.map(async (content) => {
    const form = new FormData()
    form.append('file', new Blob([content]), 'content')
    const response = await ask('add?cid-version=1&pin=true', form)
    expect(response.status).toBe(200)
    return ((await response.json()) as { Hash: string }).Hash
  })
  const pids = await workers()
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  const cids = await Promise.all(adding)
  await expect.poll(async () => (await fetch(`${admin}/readyz`)).text()).toContain('workers: 2 of 2 serve')
  for (const [i, cid] of cids.entries()) {
    const read = await ask(`cat?arg=${cid}`)
    expect(read.status).toBe(200)
    expect(contents[i]!.equals(new Uint8Array(await read.arrayBuffer()))).toBe(true)
  }
  const { Keys } = (await (await ask('pin/ls?type=recursive')).json()) as { Keys: Record<string, unknown> }
  expect(Object.keys(Keys).toSorted()).toEqual(cids.toSorted())
  expect(await metricOf(admin, 'wayleave_worker_restarts_total')).toBe(2)
})
