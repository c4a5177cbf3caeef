import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { judge } from '../two-nodes/measure/bars.ts'
import { createObserver, type Figures, messageOf, type Reported } from '../two-nodes/measure/observer.ts'
import { askNode } from '../two-nodes/nodes/ask-node.ts'
import { startStandIns } from '../two-nodes/nodes/stand-in-chain.ts'
import { differences } from '../two-nodes/ponder/ponder.ts'
import { ownClients, runTwoNodes } from '../two-nodes/run.ts'

// Ten rounds on real geths are a command: `pnpm --filter @wayleave/conformance two-nodes --rounds 10`.

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'two-nodes-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('nothing goes back while one of two nodes is killed, and the other one paused', { timeout: 120_000 }, async () => {
  await using chain = await startStandIns({ folder, blockMs: 500, catchUpMs: 2_000 })
  const pauses = { downMs: 1_500, frozenMs: 3_000, settleMs: 1_500 }
  const result = await runTwoNodes({
    chain: { ...chain, pauses, [Symbol.asyncDispose]: async () => {} },
    clients: ownClients,
    rounds: 1,
    verify: 'off',
    folder,
    signal: AbortSignal.timeout(100_000),
    report: () => {},
  })
  expect(result.figures.map(({ client }) => client)).toEqual(['viem', 'ethers-ws', 'ethers-http', 'json-rpc'])
  const backs = result.notes.filter(({ sentence }) => / after \d+|was not there|had no state/.test(sentence))
  expect(backs).toEqual([])
  for (const { reads, announced, sent } of result.figures) {
    expect(reads).toBeGreaterThan(20)
    expect(announced).toBeGreaterThan(3)
    expect(sent).toBeGreaterThan(0)
  }
})

it('a stand-in that was killed returns at block 0, and catches up', { timeout: 60_000 }, async () => {
  await using chain = await startStandIns({ folder, blockMs: 200, catchUpMs: 1_000 })
  const [node] = chain.nodes
  await expect.poll(() => node.head()).toBeGreaterThan(2)
  await node.kill()
  expect(await node.head()).toBeUndefined()
  await node.start()
  expect(await askNode(node.url, 'eth_getBlockByNumber', ['0x2', false])).toBeNull()
  await expect(askNode(node.url, 'eth_getBalance', [`0x${'0'.repeat(40)}`, '0x2'])).rejects.toThrow('header not found')
  const { height } = chain.progress()
  await expect.poll(() => node.head()).toBeGreaterThanOrEqual(height)
})

describe('the observer', () => {
  const observe = (reported: Reported = { head: 0 }) => {
    const notes: string[] = []
    const onNote = (_client: string, sentence: string): void => void notes.push(sentence)
    return { reported, notes, observer: createObserver({ client: 'one', reported, onNote, noteStallMs: 2_000 }) }
  }

  it('counts a head below one that any client was told before the call began', () => {
    const reported = { head: 0 }
    const { observer, notes } = observe(reported)
    observe(reported).observer.announced(7)
    expect(reported.head).toBe(7)
    observer.head('the block number', 6, 6)
    observer.head('the block number', 6, 7, 'b')
    expect(observer.figures()).toMatchObject({ headsBack: 1 })
    expect(notes).toEqual(['the block number gave 6 after 7 was told (answered by b)'])
    expect(reported.head).toBe(7)
  })

  it('counts nonces that went back, stalls and failures by message', () => {
    const { observer, notes } = observe()
    observer.nonce(5, 5)
    observer.nonce(4, 5)
    observer.answered('the latest block', 2_500)
    observer.failed('sending', new Error('nonce too low: next nonce 44, tx nonce 43'))
    observer.failed('sending', new Error('nonce too low: next nonce 45, tx nonce 44'))
    expect(observer.figures()).toMatchObject({
      noncesBack: 1,
      longestStallMs: 2_500,
      failures: { 'sending: nonce too low: next nonce N, tx nonce N': 2 },
    })
    expect(notes).toEqual([
      'the pending nonce was 4 after 5',
      'the latest block took 2.5 s',
      'first failure of sending: nonce too low: next nonce N, tx nonce N',
    ])
  })

  it("prefers a node's own words to those of the library", () => {
    const viem = Object.assign(new Error('RPC Request failed.\nURL: …'), { details: 'header not found' })
    const ethers = Object.assign(new Error('could not coalesce error'), { error: { message: 'no upstream answered' } })
    expect([viem, ethers, 'text'].map(messageOf)).toEqual(['header not found', 'no upstream answered', 'text'])
  })
})

describe('the rows of two Ponders', () => {
  const rows = { blocks: ['1 0xa1', '2 0xa2'], events: ['7 2 5'] }

  it('differ in nothing if they are the same', () => {
    expect(differences(rows, rows)).toEqual([])
  })

  it('differ in what is missing, and in what is not on the chain', () => {
    expect(differences({ blocks: ['1 0xa1', '2 0xb2'], events: [] }, rows)).toEqual([
      '1 of 2 blocks are missing: 2 0xa2',
      '1 blocks are not on the chain: 2 0xb2',
      '1 of 1 events are missing: 7 2 5',
    ])
  })
})

describe('the verdict', () => {
  const fine: Figures = {
    client: 'viem',
    reads: 10,
    longestStallMs: 2_000,
    headsBack: 0,
    noncesBack: 0,
    announced: 3,
    longestSilenceMs: 60_000,
    unreadable: 0,
    sent: 1,
    longestSendMs: 60_000,
    reconnects: 3,
    failures: { 'sending: nonce too low': 2 },
  }

  it('holds at the bars', () => {
    expect(judge(fine)).toEqual([])
  })

  it('names each bar that breaks', () => {
    expect(judge({ ...fine, longestStallMs: 2_100, headsBack: 1, noncesBack: 2, unreadable: 1 })).toEqual([
      'viem: a read took 2.1 s, bar 2 s',
      'viem: the head went back once',
      'viem: the pending nonce went back 2 times',
      'viem: 1 of 3 announced blocks could not be read',
    ])
    expect(judge({ ...fine, reads: 0, announced: 0, sent: 0 })).toEqual([
      'viem: no read was answered',
      'viem: no block was announced',
      'viem: no transaction was accepted',
    ])
  })
})
