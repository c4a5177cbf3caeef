// How `wayleave dev` begins and ends as a process, and what it leaves behind.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  call,
  devArgs,
  folder,
  key,
  processesWith,
  type Ready,
  readyOf,
  runProcess,
  serveHttp,
  type Wayleave,
  wayleave,
  within,
} from '../helpers.ts'

const rich = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const poor = '0x00000000000000000000000000000000c0ffee00'
const urls = ({ rpc }: Ready): string[] => [`${rpc}/v3/${key}`, `${rpc}/rollup-dev/v3/${key}`]

async function start(dataDir: string, ipc = false): Promise<{ dev: Wayleave; ready: Ready }> {
  const dev = wayleave(devArgs(dataDir), {}, ipc)
  return { dev, ready: await readyOf(dev) }
}

/** Whether the files of both chains hold a block of this height. */
function areSaved(dataDir: string, height: number): boolean {
  return ['dev', 'rollup-dev'].every((name) => {
    const state = JSON.parse(readFileSync(join(dataDir, 'chains', `${name}.json`), 'utf8')) as Record<string, unknown>
    return Number(state['best_block_number']) >= height
  })
}

/** Sends 1 wei and waits for its block. */
async function sendWei(url: string): Promise<unknown> {
  const hash = await call(url, 'eth_sendTransaction', { from: rich, to: poor, value: '0x1' })
  // Anvil answers before it mines.
  await within(40_000, async () => (await call(url, 'eth_getTransactionReceipt', hash)) !== null)
  return hash
}

interface Block {
  readonly hash: string
  readonly parentHash: string
}

/** All blocks from 0 to the head. */
async function blocksOf(url: string): Promise<Block[]> {
  const head = Number(await call(url, 'eth_blockNumber'))
  const numbers = Array.from({ length: head + 1 }, (_, number) => `0x${number.toString(16)}`)
  return Promise.all(numbers.map((number) => call(url, 'eth_getBlockByNumber', number, false) as Promise<Block>))
}

async function anvilPid(dataDir: string, chainId: number): Promise<number> {
  const lines = await processesWith(dataDir)
  return Number(
    lines.find((line) => !line.includes('anvil-guard') && line.includes(`--chain-id ${chainId} `))?.split(' ')[0],
  )
}

describe('the process of wayleave dev', { timeout: 120_000 }, () => {
  it('ends on SIGTERM with 0, leaves nothing running, and finds its state again', async () => {
    const dataDir = await folder()
    const first = await start(dataDir)
    const hashes = await Promise.all(urls(first.ready).map(sendWei))
    await call(urls(first.ready)[1]!, 'evm_mine')
    first.dev.child.kill('SIGTERM')
    expect(await first.dev.exited).toBe(0)
    expect(first.dev.stderr()).toBe('')
    expect(await processesWith(dataDir)).toEqual([])

    const second = await start(dataDir)
    for (const [i, url] of urls(second.ready).entries()) {
      expect(await call(url, 'eth_getTransactionReceipt', hashes[i])).toMatchObject({
        blockNumber: '0x1',
        status: '0x1',
      })
      expect(await call(url, 'eth_getBalance', poor, 'latest')).toBe('0x1')
      expect(await call(url, 'eth_blockNumber')).toBe(i === 0 ? '0x1' : '0x2')
    }
  })

  it('leaves no chain behind when it is killed, and finds its state again', async () => {
    const dataDir = await folder()
    const first = await start(dataDir)
    const [url] = urls(first.ready)
    await sendWei(url!)
    expect(await processesWith(dataDir)).not.toEqual([])
    first.dev.child.kill('SIGKILL')
    expect(await first.dev.exited).toBe('SIGKILL')
    expect(await within(40_000, async () => (await processesWith(dataDir)).length === 0)).toBe(true)

    const second = await start(dataDir)
    expect(await call(urls(second.ready)[0]!, 'eth_blockNumber')).toBe('0x1')
  })

  it('serves the same blocks of both chains at eight starts over one folder, ended by SIGTERM, SIGKILL and SIGKILL of a chain', async () => {
    const dataDir = await folder()
    const served: Block[][] = [[], []]
    for (let round = 0; round < 8; round++) {
      const { dev, ready } = await start(dataDir)
      for (const [i, url] of urls(ready).entries()) {
        if (round > 0) await sendWei(url)
        const blocks = await blocksOf(url)
        expect(blocks.slice(0, served[i]!.length)).toEqual(served[i])
        expect(blocks.slice(1).map(({ parentHash }) => parentHash)).toEqual(blocks.slice(0, -1).map(({ hash }) => hash))
        served[i] = blocks
      }
      // Both go at once in every fourth round, after the moment in which the last block is saved.
      const chains = round % 4 === 3 ? [await anvilPid(dataDir, 31337), await anvilPid(dataDir, 901)] : []
      if (chains.length > 0) expect(await within(40_000, async () => areSaved(dataDir, round))).toBe(true)
      for (const pid of chains) process.kill(pid, 'SIGKILL')
      dev.child.kill(round % 2 === 1 ? 'SIGKILL' : 'SIGTERM')
      await dev.exited
      expect(await within(40_000, async () => (await processesWith(dataDir)).length === 0)).toBe(true)
    }
    expect(served.map(({ length }) => length)).toEqual([8, 8])
  })

  it('leaves no chain behind when it is ended while it starts', async () => {
    const dataDir = await folder()
    const dev = wayleave(devArgs(dataDir))
    expect(await within(40_000, async () => (await processesWith(dataDir)).length > 0)).toBe(true)
    dev.child.kill('SIGTERM')
    await dev.exited
    expect(await within(40_000, async () => (await processesWith(dataDir)).length === 0)).toBe(true)
  })

  it.each([
    [31337, 'dev'],
    [901, 'rollup-dev'],
  ])('ends with 1 and one sentence when chain %d dies', async (chainId, name) => {
    const dataDir = await folder()
    const { dev } = await start(dataDir)
    process.kill(await anvilPid(dataDir, chainId), 'SIGKILL')
    expect(await dev.exited).toBe(1)
    expect(dev.stderr()).toBe(`wayleave dev: anvil "${name}" exited with status 137, so everything stops\n`)
    expect(await processesWith(dataDir)).toEqual([])
  })

  it('ends the chains that it has started when an address turns out to be taken', async () => {
    const dataDir = await folder()
    const { port, server } = await serveHttp(() => {})
    await new Promise((resolve) => server.close(resolve))
    // Free when asked for, and taken by the other listener a moment later.
    const args = [...devArgs(dataDir), '--port', String(port), '--admin-port', String(port)]
    const { code, stdout, stderr } = await runProcess(args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      new RegExp(
        `^wayleave dev: The admin listener cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use.*\\n$`,
      ),
    )
    expect(await processesWith(dataDir)).toEqual([])
  })

  it('ends when its launcher has gone, also while it starts', async () => {
    const [now, later] = [await folder(), await folder()]
    const running = await start(later, true)
    running.dev.child.disconnect()
    const starting = wayleave(devArgs(now), {}, true)
    starting.child.disconnect()
    expect(await Promise.all([running.dev.exited, starting.exited])).toEqual([0, 0])
    expect([...(await processesWith(now)), ...(await processesWith(later))]).toEqual([])
  })

  it('prints a banner without escape codes whose curl line works, and ends on Ctrl-C', async () => {
    const dataDir = await folder()
    const dev = wayleave(devArgs(dataDir).filter((flag) => flag !== '--json'))
    expect(await within(40_000, () => dev.stdout().endsWith("}'\n"))).toBe(true)
    expect(dev.stdout()).not.toContain('\x1b')
    expect(dev.stdout()).toContain(dataDir)
    const [, url, header, body] = /^ {2}curl (\S+) \\\n +-H '(.+)' \\\n +-d '(.+)'$/m.exec(dev.stdout())!
    const response = await fetch(url!, {
      method: 'POST',
      headers: [header!.split(': ') as [string, string]],
      body: body!,
    })
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' })
    dev.child.kill('SIGINT')
    expect(await dev.exited).toBe(0)
  })
})
