import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFrameReader, textFrame } from '@wayleave/bench/load/frames'
import { paramsOf } from '../streams/callers/run-callers.ts'
import { createClockChain } from '../streams/chain/clock-chain.ts'
import { startClockNodes } from '../streams/chain/clock-nodes.ts'
import { parseCommandLine } from '../streams/command-line.ts'
import { createRecorder, readTruth, tallyOf } from '../streams/figures.ts'
import { ownClients } from '../streams/find-clients.ts'
import { runClients } from '../streams/run-clients.ts'
import { askNode } from '../two-nodes/nodes/ask-node.ts'

// Minutes of misfortunes, geths, web3.py, ethclient and 5,000 callers are a command: `pnpm --filter @wayleave/conformance streams`.

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'streams-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const startNodes = () => startClockNodes({ folder, blockMs: 500, logsPerBlock: 100, count: 2 })

it('stock clients see every head and log once while nodes are well', { timeout: 120_000 }, async () => {
  await using chain = await startNodes()
  const result = await runClients({
    chain: { ...chain, [Symbol.asyncDispose]: async () => {} },
    clients: ownClients,
    lengthMs: 5_000,
    everyMs: 6_000,
    verify: 'off',
    folder,
    signal: AbortSignal.timeout(100_000),
    report: () => {},
  })
  expect(result.figures.map(({ client }) => client)).toEqual(['viem', 'ethers'])
  expect(result).toMatchObject({ misfortunes: 0, logs: expect.toSatisfy((logs: number) => logs > 0) })
  for (const { heads, logs, failures } of result.figures) {
    expect(failures).toEqual({})
    expect(heads).toEqual({ seen: result.blocks, missed: 0, doubled: 0, misplaced: 0 })
    expect(logs).toEqual({ seen: result.logs, missed: 0, doubled: 0, misplaced: 0 })
  }
})

it('nodes in different processes have the same chain, also after a kill', { timeout: 60_000 }, async () => {
  await using chain = await startNodes()
  const [a, b] = chain.nodes
  await a!.kill()
  await a!.start()
  const blocks = [a!, b!].map(({ url }) => askNode<{ hash: string }>(url, 'eth_getBlockByNumber', ['0x5', false]))
  const [first, second] = await Promise.all(blocks)
  expect(first).toEqual(second)
  expect(first!.hash).toBe(chain.chain.block(5).header.hash)
  const { logs } = await readTruth(chain, 0, 10)
  const own = Array.from({ length: 11 }, (_, number) => chain.chain.block(number).logs).flat()
  const { address, topics } = chain.filter
  expect(logs).toHaveLength(own.filter((log) => log.address === address && log.topics[0] === topics[0]).length)
  expect(logs.length).toBeGreaterThan(0)
})

describe('the chain of the clock', () => {
  it('makes a burst of blocks at one time', () => {
    const chain = createClockChain({ startedAt: 0, blockMs: 100, logsPerBlock: 1, burst: { at: 1_050, blocks: 50 } })
    expect([1_049, 1_050, 1_100].map((now) => chain.heightAt(now))).toEqual([10, 60, 61])
    expect([10, 11, 60, 61].map((number) => chain.madeAt(number))).toEqual([1_000, 1_050, 1_050, 1_100])
  })
})

describe('figures', () => {
  it('count what is missed, doubled and misplaced', () => {
    expect(tallyOf([1, 2, 3, 4], [1, 3, 3, 2, 9], (number) => number)).toEqual({
      seen: 5,
      missed: 1,
      doubled: 1,
      misplaced: 2,
    })
  })

  it('tell the longest quiet, and failures without what makes each another one', () => {
    let now = 0
    const recorder = createRecorder(() => now)
    recorder.begin()
    for (const [at, head] of [
      [1_000, 1],
      [4_500, 2],
    ] as const) {
      now = at
      recorder.reported.head(head)
    }
    now = 5_000
    recorder.end()
    for (const id of ['5fd454560c864befb03fcc0e7d51ee26', '2c9b26a40d9a4cfe83f6b7c98e6a9a0a'])
      recorder.reported.failed(`filter not found, trace ${id}`)
    recorder.reported.log({ block: 1, index: 0, removed: true })
    const figures = recorder.figures('one', { from: 1, to: 2, logs: ['1:0'] })
    expect(figures).toMatchObject({ quietMs: 3_500, failures: { 'filter not found, trace …': 2 } })
    expect(figures.heads).toEqual({ seen: 2, missed: 0, doubled: 0, misplaced: 0 })
    expect(figures.logs).toEqual({ seen: 1, missed: 1, doubled: 0, misplaced: 1 })
  })
})

describe('callers', () => {
  it('have filters that all differ', () => {
    const logs = Array.from({ length: 1_000 }, (_, i) => paramsOf(i)).filter(([kind]) => kind === 'logs')
    expect(new Set(logs.map((params) => JSON.stringify(params))).size).toBe(400)
  })

  it('read frames of every length from bytes that come as they like', () => {
    const payloads = [3, 200, 70_000].map((length) => 'x'.repeat(length))
    const header = (length: number): Buffer => {
      if (length < 126) return Buffer.from([0x81, length])
      if (length < 65_536) return Buffer.from([0x81, 126, length >> 8, length & 0xff])
      return Buffer.from([0x81, 127, 0, 0, 0, 0, 0, length >> 16, (length >> 8) & 0xff, length & 0xff])
    }
    const bytes = Buffer.concat(payloads.flatMap((payload) => [header(payload.length), Buffer.from(payload)]))
    const read: string[] = []
    const reader = createFrameReader((opcode, payload) => read.push(`${opcode} ${String(payload)}`))
    for (let at = 0; at < bytes.length; at += 1_001) reader(bytes.subarray(at, at + 1_001))
    expect(read).toEqual(payloads.map((payload) => `1 ${payload}`))
    expect(textFrame('hi')).toEqual(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]))
  })
})

it('wrong use is told in a sentence', () => {
  expect(parseCommandLine(['--', '--only', 'resume', '--missed', '5'])).toMatchObject({ only: ['resume'], missed: 5 })
  expect(() => parseCommandLine(['--only', 'nothing'])).toThrow('--only takes clients, callers, filters, resume')
  expect(() => parseCommandLine(['--callers', '2'])).toThrow('--callers takes a whole number of at least 10, not 2')
})
