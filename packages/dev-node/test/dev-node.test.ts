import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type AnvilExit, startDevNode } from '../src/index.ts'
import { call, folder, isAlive, sendWei, within } from './helpers.ts'
import { runningWith } from './processes.ts'

test('a dev node has the chains dev and rollup-dev', async () => {
  const dataDir = await folder()
  await using node = await startDevNode({ dataDir })
  const { dev, 'rollup-dev': rollup } = node.networks
  expect(runningWith(dataDir)).toBe(true)
  expect([dev.chainId, rollup.chainId]).toEqual([31337, 901])
  expect(await call(dev.httpUrl, 'eth_chainId')).toBe('0x7a69')
  expect(await call(rollup.httpUrl, 'eth_chainId')).toBe('0x385')
})

test('two dev nodes at once do not collide', async () => {
  const [one, two] = [await folder(), await folder()]
  await using a = await startDevNode({ dataDir: one })
  await using b = await startDevNode({ dataDir: two })
  const urls = [a, b].flatMap((node) => [node.networks.dev.httpUrl, node.networks['rollup-dev'].httpUrl])
  expect(new Set(urls).size).toBe(4)
  const hash = await sendWei(a.networks.dev.httpUrl)
  expect(await call(a.networks.dev.httpUrl, 'eth_getTransactionByHash', hash)).toMatchObject({ hash })
  expect(await call(b.networks.dev.httpUrl, 'eth_getTransactionByHash', hash)).toBeNull()
})

test('both chains survive a restart with the same folder', async () => {
  const dataDir = await folder()
  const first = await startDevNode({ dataDir })
  const sent = [await sendWei(first.networks.dev.httpUrl), await sendWei(first.networks['rollup-dev'].httpUrl)]
  await Promise.all([first.close(), first.close()])
  expect((await readdir(dataDir)).toSorted()).toEqual(['dev.json', 'rollup-dev.json'])
  await using second = await startDevNode({ dataDir })
  const { dev, 'rollup-dev': rollup } = second.networks
  expect(await call(dev.httpUrl, 'eth_getTransactionReceipt', sent[0])).toMatchObject({ status: '0x1' })
  expect(await call(rollup.httpUrl, 'eth_getTransactionReceipt', sent[1])).toMatchObject({ status: '0x1' })
})

test('a chain that cannot start takes the other with it', async () => {
  const dataDir = await folder()
  await writeFile(join(dataDir, 'rollup-dev.json'), 'not a state')
  await expect(startDevNode({ dataDir })).rejects.toMatchObject({ code: 'state_unreadable' })
  expect(runningWith(dataDir)).toBe(false)
  expect(await readdir(dataDir)).not.toContain('dev.json.lock')
})

test('a chain that dies by itself is reported by name, and the other lives on', async () => {
  const exits: [string, AnvilExit][] = []
  await using node = await startDevNode({ onExit: (network, exit) => exits.push([network, exit]) })
  process.kill(node.networks['rollup-dev'].pid, 'SIGKILL')
  expect(await within(15_000, () => exits.length > 0)).toBe(true)
  expect(exits).toEqual([['rollup-dev', expect.objectContaining({ status: 137, expected: false })]])
  expect(isAlive(node.networks.dev.pid)).toBe(true)
})

test('a signal ends both chains', async () => {
  const controller = new AbortController()
  const { networks } = await startDevNode({ signal: controller.signal })
  controller.abort()
  const pids = [networks.dev.pid, networks['rollup-dev'].pid]
  expect(await within(15_000, () => !pids.some(isAlive))).toBe(true)
})
