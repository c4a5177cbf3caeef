import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type DevNode, findAnvil, startAnvil, startDevNode } from '../src/index.ts'
import { call, folder, sendWei } from './helpers.ts'

interface Block {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly timestamp: string
}

interface SavedBlock {
  readonly header: { readonly number: string; readonly timestamp: string }
}

const names = ['dev', 'rollup-dev'] as const

async function blocksOf(url: string): Promise<Block[]> {
  const head = Number(await call(url, 'eth_blockNumber'))
  const blocks: Block[] = []
  for (let number = 0; number <= head; number++) {
    blocks.push((await call(url, 'eth_getBlockByNumber', `0x${number.toString(16)}`, false)) as Block)
  }
  return blocks
}

/** Expects that each block names the one below it, and that no block is older than its parent. */
function expectOneChain(blocks: readonly Block[]): void {
  expect(blocks.slice(1).map(({ parentHash }) => parentHash)).toEqual(blocks.slice(0, -1).map(({ hash }) => hash))
  const times = blocks.map(({ timestamp }) => Number(timestamp))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
}

function savedState(stateFile: string): { readonly best_block_number: number; readonly blocks: readonly SavedBlock[] } {
  return JSON.parse(readFileSync(stateFile, 'utf8')) as ReturnType<typeof savedState>
}

function savedGeneses(stateFile: string): SavedBlock[] {
  return savedState(stateFile).blocks.filter(({ header }) => header.number === '0x0')
}

async function end(node: DevNode, dataDir: string, round: number): Promise<void> {
  if (round % 2 === 1) {
    // Milliseconds: long before the chains would be saved anyway.
    for (const name of names) {
      const stateFile = join(dataDir, `${name}.json`)
      await expect.poll(() => savedState(stateFile).best_block_number, { timeout: 10_000 }).toBe(round)
    }
    for (const name of names) process.kill(node.networks[name].pid, 'SIGKILL')
  }
  await node.close()
}

describe('eight starts over one folder, every other one ended by SIGKILL of the chains', { timeout: 120_000 }, () => {
  test('serve the same blocks by number and hash, as one chain down to one block 0', async () => {
    const dataDir = await folder()
    const served = { dev: [] as Block[], 'rollup-dev': [] as Block[] }
    for (let round = 0; round < 8; round++) {
      const begun = Date.now()
      await using node = await startDevNode({ dataDir })
      for (const name of names) {
        const url = node.networks[name].httpUrl
        // The first start mines nothing: its block 0 alone must stay.
        if (round > 0) await sendWei(url)
        const blocks = await blocksOf(url)
        expect(blocks.slice(0, served[name].length)).toEqual(served[name])
        for (const { hash, number } of served[name]) {
          expect(await call(url, 'eth_getBlockByHash', hash, false)).toMatchObject({ number })
        }
        expectOneChain(blocks)
        // As these tags name block 0 in so short a chain, the L1 origins of the rollup do, too.
        for (const tag of ['earliest', 'safe', 'finalized']) {
          expect(await call(url, 'eth_getBlockByNumber', tag, false)).toEqual(blocks[0])
        }
        served[name] = blocks
      }
      await end(node, dataDir, round)
      // Another second than at its start, so that a new block 0 would have another hash.
      await sleep(Math.max(0, begun + 1_000 - Date.now()))
    }
    for (const name of names) {
      expect(served[name]).toHaveLength(8)
      expect(savedGeneses(join(dataDir, `${name}.json`))).toHaveLength(1)
    }
  })
})

describe('a state file that an earlier version left with several blocks 0', { timeout: 120_000 }, () => {
  /** Starts anvil on a state file as earlier versions did, with a block 0 of `genesisTime`, and mines. */
  /** Starts and ends anvil as earlier versions did, until its block 0 is saved: one that is ended too early saves nothing. */
  async function startOld(stateFile: string, genesisTime: number, mine: number, loads: boolean): Promise<void> {
    const count = (): number => (existsSync(stateFile) ? savedGeneses(stateFile).length : 0)
    const before = count()
    for (let tries = 0; tries < 5 && count() === before; tries++) await runOld(stateFile, genesisTime, mine, loads)
  }

  async function runOld(stateFile: string, genesisTime: number, mine: number, loads: boolean): Promise<void> {
    const args = ['--port', '0', '--chain-id', '31337', '--timestamp', String(genesisTime), '--dump-state', stateFile]
    if (loads) args.push('--load-state', stateFile)
    const anvil = spawn(findAnvil(), args, { stdio: ['ignore', 'pipe', 'ignore'] })
    const exited = once(anvil, 'exit')
    onTestFinished(() => void anvil.kill('SIGKILL'))
    for await (const line of createInterface({ input: anvil.stdout })) {
      const address = /^Listening on (\S+)$/.exec(line)?.[1]
      if (address === undefined) continue
      await call(`http://${address}`, 'eth_chainId')
      for (let block = 0; block < mine; block++) await call(`http://${address}`, 'evm_mine')
      anvil.kill('SIGTERM')
    }
    await exited
  }

  const start = (stateFile: string): ReturnType<typeof startAnvil> =>
    startAnvil({ name: 'old', chainId: 31337, stateFile })

  test('serves the block 0 that block 1 names, and drops the others', async () => {
    const stateFile = join(await folder(), 'old.json')
    await startOld(stateFile, 1_700_000_003, 1, false)
    await startOld(stateFile, 1_700_000_001, 0, true)
    await startOld(stateFile, 1_700_000_009, 0, true)
    expect(savedGeneses(stateFile)).toHaveLength(3)
    // A number that JavaScript cannot hold stays as it is.
    const long = readFileSync(stateFile, 'utf8').replace('"nonce":0,', '"nonce":9007199254740993,')
    expect(long).toContain('9007199254740993')
    await writeFile(stateFile, long)
    const anvil = await start(stateFile)
    const blocks = await blocksOf(anvil.httpUrl)
    expect(blocks).toHaveLength(2)
    expect(Number(blocks[0]!.timestamp)).toBe(1_700_000_003)
    expectOneChain(blocks)
    await anvil.close()
    expect(savedGeneses(stateFile)).toHaveLength(1)
    expect(readFileSync(stateFile, 'utf8')).toContain('9007199254740993')
  })

  test('serves the oldest where no block was mined on any of them', async () => {
    const stateFile = join(await folder(), 'old.json')
    await startOld(stateFile, 1_700_000_003, 0, false)
    await startOld(stateFile, 1_700_000_001, 0, true)
    await using anvil = await start(stateFile)
    const blocks = await blocksOf(anvil.httpUrl)
    expect(blocks.map(({ timestamp }) => Number(timestamp))).toEqual([1_700_000_001])
    expect(savedGeneses(stateFile)).toHaveLength(1)
  })

  test.each([1, 2])(
    'is refused in words, and left alone, where none of its %i is the parent of block 1',
    async (count) => {
      const stateFile = join(await folder(), 'old.json')
      await startOld(stateFile, 1_700_000_003, 1, false)
      if (count === 2) await startOld(stateFile, 1_700_000_001, 0, true)
      const foreign = readFileSync(stateFile, 'utf8').replaceAll('"timestamp":"0x6553f103"', '"timestamp":"0x6553f104"')
      expect(foreign).toContain('0x6553f104')
      await writeFile(stateFile, foreign)
      const error = await start(stateFile).then(String, (thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'state_unreadable' })
      expect((error as Error).message).toBe(
        `the chain in ${stateFile} is broken, as its block 1 does not name its block 0: restore it from a copy, or delete it to begin an empty chain`,
      )
      expect(readFileSync(stateFile, 'utf8')).toBe(foreign)
    },
  )
})

describe('the time of a chain', () => {
  test('goes on from now after a restart, and not from its block 0', async () => {
    const stateFile = join(await folder(), 'kept.json')
    const first = await startAnvil({ name: 'kept', chainId: 31337, stateFile })
    await sleep(2_000)
    await first.close()
    await using second = await startAnvil({ name: 'kept', chainId: 31337, stateFile })
    const before = Math.floor(Date.now() / 1_000)
    await call(second.httpUrl, 'evm_mine')
    const [, block] = await blocksOf(second.httpUrl)
    expect(Number(block!.timestamp)).toBeGreaterThanOrEqual(before)
  })

  test('that was set forward does not go back at a restart', async () => {
    const stateFile = join(await folder(), 'kept.json')
    const first = await startAnvil({ name: 'kept', chainId: 31337, stateFile })
    await call(first.httpUrl, 'evm_increaseTime', 86_400)
    await call(first.httpUrl, 'evm_mine')
    await first.close()
    await using second = await startAnvil({ name: 'kept', chainId: 31337, stateFile })
    await call(second.httpUrl, 'evm_mine')
    expectOneChain(await blocksOf(second.httpUrl))
  })
})
