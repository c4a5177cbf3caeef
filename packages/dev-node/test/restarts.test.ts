import { writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type DevNode, startAnvil, startDevNode } from '../src/index.ts'
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

function savedGeneses(stateFile: string): SavedBlock[] {
  const { blocks } = JSON.parse(readFileSync(stateFile, 'utf8')) as { readonly blocks: readonly SavedBlock[] }
  return blocks.filter(({ header }) => header.number === '0x0')
}

async function end(node: DevNode, round: number): Promise<void> {
  if (round % 2 === 1) {
    // Time for the last block to be saved.
    await sleep(1_000)
    for (const name of names) process.kill(node.networks[name].pid, 'SIGKILL')
  }
  await node.close()
}

describe('eight starts over one folder, every other one ended by SIGKILL of the chains', { timeout: 120_000 }, () => {
  test('serve the same blocks by number and hash, as one chain down to one block 0', async () => {
    const dataDir = await folder()
    const served = { dev: [] as Block[], 'rollup-dev': [] as Block[] }
    for (let round = 0; round < 8; round++) {
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
        served[name] = blocks
      }
      await end(node, round)
      // Another second, so that a new block 0 would have another hash.
      await sleep(1_000)
    }
    for (const name of names) {
      expect(served[name]).toHaveLength(8)
      expect(savedGeneses(join(dataDir, `${name}.json`))).toHaveLength(1)
    }
  })
})
