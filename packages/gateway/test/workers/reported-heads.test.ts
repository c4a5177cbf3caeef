import { createLog, type NetworkConfig, realSurroundings } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { createProjectLabels } from '../../src/telemetry/project-label.ts'
import { createNetworkQuestions } from '../../src/shared-state/network-questions.ts'
import { createPrimaryState, servePrimaryState } from '../../src/shared-state/primary-state.ts'
import { openWorkerState } from '../../src/shared-state/worker-state.ts'
import { testChain } from '../chain-node.ts'
import { type Core, openCore } from './cores.ts'
import { delayedPair } from './delayed-pair.ts'
import { simulateNodes } from './simulated-node.ts'

const { clock, newFilterId: newId } = realSurroundings
const log = createLog({ level: 'silent' })
const sender = `0x${'ab'.repeat(20)}`
const emptyStore = {
  fees: { load: async () => undefined, save: async () => {} },
  pins: undefined,
  accounts: undefined,
  usage: undefined,
  filters: undefined,
  operated: undefined,
  watch: undefined,
  close: async () => {},
}

/** Steps of callers: TOLD_STEPS=100000 for the whole measure. */
const steps = Number(process.env['TOLD_STEPS'] ?? 20_000)

/** A primary and two workers over two nodes that are a block apart now and then, of a chain with a block every 40 ms. */
async function begin({
  cache,
  lines = () => 0,
}: { readonly cache?: false; readonly lines?: () => number } = {}): Promise<readonly Core[]> {
  const chain = testChain(500)
  const { nodes, port } = simulateNodes(chain, 2, () => (Math.random() < 0.02 ? Math.random() * 3 : 0))
  const upstreams = nodes.map(({ url }) => ({ url, probe: false }))
  const networks: Record<string, NetworkConfig> = { mainnet: { kind: 'evm', chainId: 1, upstreams } }
  const state = createPrimaryState({ newId, clock })
  const questions = createNetworkQuestions({ networks: () => [], clock })
  await openCore({ networks, port, cache, shared: state.shared, views: state.views })
  const labels = createProjectLabels()
  const cores: Core[] = []
  for (let worker = 0; worker < 2; worker++) {
    const pair = delayedPair(lines)
    const parts = { state, store: emptyStore, questions, usage: undefined, accounts: undefined, labels }
    servePrimaryState(parts, pair.primary)
    const { shared, views } = await openWorkerState(pair.worker, { newId, clock, log })
    cores.push(await openCore({ networks, port, cache, shared, views }))
  }
  let nonce = 1
  const mining = setInterval(() => {
    chain.height++
    for (const node of nodes) node.lag = Math.random() < 0.5 ? 1 : 0
    if (Math.random() < 0.5) nonce++
    for (const node of nodes) node.nonce = nonce - node.lag
  }, 40)
  onTestFinished(() => clearInterval(mining))
  return cores
}

/** Callers, each step of whom goes to the other worker. Counts the steps at which a head or a nonce is below one that anybody was told before. */
async function walk(cores: readonly Core[], most: number) {
  let [head, nonce, next, back, failed] = [0, 0, 0, 0, 0]
  let first = 0
  async function caller(own: number): Promise<void> {
    // A fast machine has made its steps before the first head is asked for again.
    for (let i = own; next < most || (head - first <= 10 && next < 50 * most); i++) {
      const step = next++
      const core = cores[i % cores.length]!
      const [headBefore, nonceBefore] = [head, nonce]
      if (step % 5 === 4) {
        const { result } = await core.ask('mainnet', 'eth_getTransactionCount', [sender, 'pending'])
        if (typeof result !== 'string') failed++
        else if (Number(result) < nonceBefore) back++
        else nonce = Math.max(nonce, Number(result))
        continue
      }
      const isNumber = step % 2 === 0
      const { result } = await (isNumber
        ? core.ask('mainnet', 'eth_blockNumber')
        : core.ask('mainnet', 'eth_getBlockByNumber', ['latest', false]))
      const reported = Number(isNumber ? result : (result as { number?: string } | undefined)?.number)
      if (Number.isNaN(reported)) failed++
      else if (reported < headBefore) back++
      else head = Math.max(head, reported)
      first ||= reported
      // Timers and sockets get their turn.
      if (step % 64 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, own) => caller(own)))
  return { back, failed, blocks: head - first, nonce }
}

it('a head or a nonce never goes back for callers who go from worker to worker', async () => {
  const { back, failed, blocks, nonce } = await walk(await begin(), steps)
  expect({ back, failed }).toEqual({ back: 0, failed: 0 })
  expect(blocks).toBeGreaterThan(10)
  expect(nonce).toBeGreaterThan(5)
})

it('nor without a cache, over lines that are slow', async () => {
  const { back, failed, blocks } = await walk(await begin({ cache: false, lines: () => Math.random() * 3 }), steps / 2)
  expect({ back, failed }).toEqual({ back: 0, failed: 0 })
  expect(blocks).toBeGreaterThan(5)
})
