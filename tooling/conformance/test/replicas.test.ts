import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '@wayleave/bench/program'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
// @boundaries-ignore Servers for tests are in no package.
import { missingRedis, startRedis } from '../../../packages/stores/test/redis-server.ts'
import { startBalancer } from '../replicas/balancer.ts'
import { parseCommandLine } from '../replicas/command-line.ts'
import { printRun } from '../replicas/report.ts'
import { type ReplicasResult, runReplicas } from '../replicas/run.ts'
import { startStandIns } from '../two-nodes/nodes/stand-in-chain.ts'
import { ownClients } from '../two-nodes/run.ts'

// Real geths, more rounds and times are a command: `pnpm --filter @wayleave/conformance replicas`.

const isOptional = process.env['REQUIRE_SERVICES'] === undefined

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'replicas-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it.skipIf(isOptional && missingRedis() !== undefined)(
  'nothing goes back while three replicas are killed in turn, and each learns of a cordon',
  { timeout: 180_000 },
  async () => {
    await using redis = await startRedis()
    await using chain = await startStandIns({ folder, blockMs: 500 })
    const result = await runReplicas({
      chain: { ...chain, [Symbol.asyncDispose]: async () => {} },
      redis: redis.url,
      clients: ownClients,
      rounds: 1,
      pauses: { settleMs: 1_500, downMs: 2_000 },
      folder,
      signal: AbortSignal.timeout(150_000),
      report: () => {},
    })
    expect(result.notes.filter(({ sentence }) => / after \d+|was not there|had no state/.test(sentence))).toEqual([])
    expect(result.cordonMs).toHaveLength(9)
    for (const count of result.answered) expect(count).toBeGreaterThan(20)
    for (const { reads, announced, sent } of result.figures) {
      expect(reads).toBeGreaterThan(20)
      expect(announced).toBeGreaterThan(3)
      expect(sent).toBeGreaterThan(0)
    }
  },
)

it('the balancer takes turns, and passes over the dead', async () => {
  const servers = ['a', 'b'].map((name) =>
    createServer((_request, response) => response.end(name)).listen(0, '127.0.0.1'),
  )
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await using balancer = await startBalancer(ports)
  const ask = async (): Promise<string> => (await fetch(balancer.url, { method: 'POST', body: '{}' })).text()
  expect([await ask(), await ask(), await ask()]).toEqual(['a', 'b', 'a'])
  const close = (i: number): Promise<void> =>
    new Promise((resolve) => {
      servers[i]!.close(() => resolve())
      servers[i]!.closeAllConnections()
    })
  onTestFinished(() => close(1))
  await close(0)
  expect([await ask(), await ask(), await ask()]).toEqual(['b', 'b', 'b'])
  expect(balancer.answered).toEqual([2, 4])
})

it('the report names what is broken', () => {
  const result: ReplicasResult = {
    software: 'geth',
    rounds: 1,
    kills: 3,
    seconds: 60,
    blocks: 20,
    ownStallMs: 12,
    figures: [],
    answered: [1, 2, 3],
    cordonMs: [5, 1_200],
    ponder: undefined,
    notes: [],
    broken: ['a cordon took 1200 ms, bar 1000 ms'],
  }
  expect(printRun(result)).toEqual([
    'three replicas before geth: 3 kills, 60 s, 20 blocks; the rig itself stood still for 0.0 s at most',
    'answers by replica: 1, 2, 3',
    '2 changes of cordons, in all replicas after 1200 ms at most',
    'broken: a cordon took 1200 ms, bar 1000 ms',
    'not all bars hold',
  ])
})

it('a command line that cannot be used is refused in words', () => {
  expect(parseCommandLine(['--', '--rounds', '2', '--nodes', 'stand-in'])).toMatchObject({
    rounds: 2,
    nodes: 'stand-in',
  })
  expect(() => parseCommandLine(['--rounds', '0'])).toThrow(UsageError)
  expect(() => parseCommandLine(['--nodes', 'besu'])).toThrow('--nodes takes geth, stand-in, auto, not besu')
})
