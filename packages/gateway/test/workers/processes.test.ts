import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createApiKey, hintOf, sha256Hex } from '@wayleave/auth'
import { openStores } from '@wayleave/stores'
import { expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, testChain, type TestChain } from '../chain-node.ts'
import { frame, key, send, sleep } from '../support.ts'

interface WorkerProcess {
  readonly rpc: string
  readonly pid: number
}

interface Scene {
  readonly chain: TestChain
  readonly nodes: readonly ChainNode[]
  readonly pid: number
  readonly workers: readonly WorkerProcess[]
  readonly store: { readonly sqlite: string }
  readonly stored: string
  /** Starts one more worker. */
  join(): Promise<WorkerProcess>
  /** Ends all processes. */
  close(): Promise<void>
}

/** A primary and two workers in processes of their own, over two nodes and a store. */
async function begin(): Promise<Scene> {
  const chain = testChain(500)
  const nodes = [await startChainNode(chain, 1), await startChainNode(chain, 2)]
  for (const node of nodes) onTestFinished(() => node.close())
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-processes-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const store = { sqlite: join(folder, 'wayleave.sqlite') }
  const stored = createApiKey()
  {
    await using stores = await openStores(store)
    const by = { actor: 'test', at: 1 }
    await stores.accounts.createProject({ id: 'stored', name: 'Stored' }, by)
    const row = { id: 'k', projectId: 'stored', digest: sha256Hex(stored), hint: hintOf(stored) }
    await stores.accounts.createKey(row, by)
  }
  const config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    defaultNetwork: 'mainnet',
    networks: {
      mainnet: { kind: 'evm', chainId: 1, upstreams: nodes.map(({ url }) => ({ url, probe: false })) },
    },
    dataDir: folder,
    projects: [{ name: 'open', keys: [{ key }] }],
  }
  const program = fileURLToPath(new URL('primary-program.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@wayleave/source', program, JSON.stringify(config)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value as string)
  async function close(): Promise<void> {
    child.kill('SIGCONT')
    child.stdin.end()
    await exited
  }
  onTestFinished(close)
  const { workers } = (await next()) as { workers: readonly WorkerProcess[] }
  return {
    chain,
    nodes,
    pid: child.pid!,
    workers,
    store,
    stored,
    async join() {
      child.stdin.write('\n')
      return (await next()) as WorkerProcess
    },
    close,
  }
}

/** The head that a worker tells over a new connection; undefined where it tells none. */
async function headOf({ rpc }: WorkerProcess): Promise<number | undefined> {
  const headers = { connection: 'close' }
  const { body } = await send(rpc, `/v3/${key}`, { headers, body: frame('eth_blockNumber') })
  const { result } = JSON.parse(body) as { readonly result?: string }
  return result === undefined ? undefined : Number(result)
}

function mine({ chain, nodes }: Scene): void {
  const timer = setInterval(() => {
    chain.height++
    for (const node of nodes) node.lag = Math.random() < 0.5 ? 1 : 0
  }, 50)
  onTestFinished(() => clearInterval(timer))
}

it('no head goes back over new connections to processes, one of which is stopped again and again', async () => {
  const scene = await begin()
  mine(scene)
  const { workers } = scene
  let [highest, back, reported] = [0, 0, 0]
  const stopped = workers[1]!.pid
  onTestFinished(() => void process.kill(stopped, 'SIGCONT'))
  async function walk(own: number): Promise<void> {
    for (let i = own; i < 400; i++) {
      const before = highest
      const head = await headOf(workers[i % workers.length]!)
      if (head === undefined) continue
      reported++
      if (head < before) back++
      highest = Math.max(highest, head)
    }
  }
  const over = new AbortController()
  async function stopAndGo({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      process.kill(stopped, 'SIGSTOP')
      await sleep(150)
      process.kill(stopped, 'SIGCONT')
      await sleep(200)
    }
  }
  const stopping = stopAndGo(over)
  await Promise.all([0, 1, 2, 3].map(walk))
  over.abort()
  await stopping
  expect(back).toBe(0)
  expect(reported).toBeGreaterThan(1_000)
  expect(highest).toBeGreaterThan(510)
})

it('a worker that is killed loses at most the usage of a second, and nothing of the others', async () => {
  const { workers, store, stored, join: joinOne, close } = await begin()
  const call = async ({ rpc }: WorkerProcess): Promise<void> => {
    expect((await send(rpc, `/v3/${stored}`, { body: frame('eth_gasPrice') })).status).toBe(200)
  }
  for (let i = 0; i < 40; i++) await call(workers[i % 2]!)
  await using stores = await openStores(store)
  const used = async (): Promise<number> => {
    const query = { period: 'day', from: 0, to: 8e15, by: [], limit: 1 } as const
    return (await stores.usage.query(query))[0]?.calls ?? 0
  }
  await expect.poll(used).toBe(40)
  process.kill(workers[0]!.pid, 'SIGKILL')
  for (let i = 0; i < 10; i++) await call(workers[1]!)
  const late = await joinOne()
  for (let i = 0; i < 10; i++) await call(late)
  await expect.poll(used).toBe(60)
  await close()
  expect(await used()).toBe(60)
})

it('a primary that stands leaves calls to workers: what tells heads fails in time, all else goes on, and all is well after it', async () => {
  const scene = await begin()
  const { pid, workers } = scene
  for (const worker of workers) {
    expect(await headOf(worker)).toBe(500)
    for (let i = 0; i < 2; i++) await send(worker.rpc, `/v3/${key}`, { body: frame('eth_chainId') })
  }
  process.kill(pid, 'SIGSTOP')
  scene.chain.height += 2
  for (const { rpc } of workers) {
    for (let i = 0; i < 5; i++) {
      const { status, body } = await send(rpc, `/v3/${key}`, { body: frame('eth_gasPrice') })
      expect([status, JSON.parse(body).result]).toEqual([200, expect.stringMatching(/^0x[12]$/)])
    }
  }
  for (const worker of workers) expect(await headOf(worker)).toBeUndefined()
  // Nobody knows whether a cached answer is of the head that others told: the node is asked.
  for (const { rpc } of workers) {
    for (let i = 0; i < 2; i++) {
      const { status, body } = await send(rpc, `/v3/${key}`, { body: frame('eth_chainId') })
      expect([status, JSON.parse(body).result]).toEqual([200, '0x1'])
    }
  }
  process.kill(pid, 'SIGCONT')
  for (const worker of workers) await expect.poll(() => headOf(worker)).toBe(502)
})
