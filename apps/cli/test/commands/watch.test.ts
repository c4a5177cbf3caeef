// wayleave watch: a line for each event, over real chains and over nodes that push what is said here.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { type DevNode, startDevNode } from '@wayleave/dev-node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { eventLines } from '../../src/watch/event-lines.ts'
import { call, runWayleave, servePushes, startRelay, wayleave, within } from '../helpers.ts'

let node: DevNode
let url: string
let http: string

beforeAll(async () => {
  node = await startDevNode()
  url = node.networks.dev.wsUrl
  http = node.networks.dev.httpUrl
})
afterAll(() => node.close())

/** A contract that logs its call data with one topic, deployed. */
async function deployLogger(): Promise<string> {
  const [from] = (await call(http, 'eth_accounts')) as [string]
  // CALLDATACOPY(0, 0, CALLDATASIZE); LOG1(0, CALLDATASIZE, 7)
  const code = '36600060003760073660 00a100'.replaceAll(' ', '')
  const data = `0x6${(code.length / 2 - 1).toString(16)}${code}600052600d6013f3`
  const hash = await call(http, 'eth_sendTransaction', { from, data, gas: '0x30000' })
  // The node answers before it has mined.
  const receiptOf = () => call(http, 'eth_getTransactionReceipt', hash) as Promise<{ contractAddress: string } | null>
  return vi.waitUntil(async () => (await receiptOf())?.contractAddress, { timeout: 20_000 })
}

describe('wayleave watch heads', () => {
  it('prints a line for each block from a number on, apart by tabs', async () => {
    await call(http, 'evm_mine')
    const { code, stdout, stderr } = await runWayleave(
      ['watch', 'heads', '--rpc-url', url, '--from-block', '0', '--count', '2'],
      {},
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [first, second] = stdout.trimEnd().split('\n')
    expect(first).toMatch(/^\+\t0\t0x[0-9a-f]{64}\t20\d\d-/)
    expect(second).toMatch(/^\+\t1\t0x[0-9a-f]{64}\t20\d\d-/)
  })

  it('prints JSON lines, as they came', async () => {
    const { stdout } = await runWayleave([
      'watch',
      'heads',
      '--rpc-url',
      url,
      '--from-block',
      '0x0',
      '--count',
      '1',
      '--json',
    ])
    expect(JSON.parse(stdout)).toMatchObject({ number: '0x0', logsBloom: expect.stringMatching(/^0x/) as string })
  })

  it('tells of a reconnect on stderr, misses nothing, and ends at SIGINT with 0', async () => {
    const relay = await startRelay(url)
    const from = Number(await call(http, 'eth_blockNumber')) + 1
    const watching = wayleave(['watch', 'heads', '--rpc-url', relay.url.replace('http', 'ws')])
    // It watches when it tells a block.
    expect(
      await within(10_000, async () => {
        await call(http, 'evm_mine')
        return watching.stdout() !== ''
      }),
    ).toBe(true)
    relay.cut()
    await call(http, 'evm_mine')
    const last = Number(await call(http, 'eth_blockNumber'))
    expect(await within(10_000, () => watching.stdout().includes(`+\t${last}\t`))).toBe(true)
    watching.child.kill('SIGINT')
    expect(await watching.exited).toBe(0)
    expect(watching.stderr()).toBe('reconnected\n')
    const numbers = watching
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => Number(line.split('\t')[1]))
    expect(numbers[0]).toBeGreaterThanOrEqual(from)
    expect(numbers).toEqual(Array.from({ length: last - numbers[0]! + 1 }, (_, i) => numbers[0]! + i))
  })
})

describe('wayleave watch', () => {
  it.each([
    [[], 'expected a KIND: heads, logs'],
    [['head'], 'there is no KIND "head" (did you mean "heads"?); there are heads'],
    [['heads', 'x'], 'unexpected argument "x"'],
    [['heads', '--address', '0x1'], '--address: belongs to logs, not to heads'],
    [['pending', '--from-block', '1'], '--from-block: belongs to heads and logs, not to pending'],
    [['logs', '--address', '0x1'], '--address: expected'],
    [['logs', '--topic', '0x1'], '--topic: expected'],
    [['heads', '--from-block', 'tip'], '--from-block: expected the number of a block'],
    [['heads', '--count', '0'], '--count: expected a whole number above 0'],
    [['status', '0x1'], 'status: belongs to Starknet'],
    [['status', '--spec-version', '0.8'], 'status: expected the HASH of a transaction'],
    [['receipts', '--spec-version', '0.8'], '--spec-version 0.9 has'],
    [['heads', '--spec-version', '0.7'], '--spec-version 0.8 has'],
  ])('explains %j', async (args, message) => {
    const { code, stderr } = await runWayleave(['watch', ...args, '--rpc-url', url])
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  it('fails with 1 where the node has no such subscription, or no WebSocket', async () => {
    const overHttp = await runWayleave(['watch', 'heads', '--rpc-url', http])
    expect(overHttp.code).toBe(1)
    expect(overHttp.stderr).toContain('needs a WebSocket')
  })
})

describe('wayleave watch --spec-version', () => {
  it('prints Starknet heads, and a reorg as a line with "-"', async () => {
    const reorg = { starting_block_number: 6, ending_block_number: 7 }
    const peer = await servePushes(
      'starknet_subscriptionNewHeads',
      { block_number: 7, block_hash: '0xa', timestamp: 1_700_000_000 },
      ['starknet_subscriptionReorg', reorg],
    )
    const args = ['watch', 'heads', '--rpc-url', peer.url, '--spec-version', '0.8', '--from-block', '7', '--count', '2']
    const { code, stdout } = await runWayleave(args)
    expect(code).toBe(0)
    expect(stdout).toBe('+\t7\t0xa\t2023-11-14T22:13:20Z\n-\t6..7\tblocks were replaced\n')
    expect(peer.calls).toEqual([['starknet_subscribeNewHeads', { block_id: { block_number: 7 } }]])
  })

  it.each([
    [
      'logs',
      'starknet_subscribeEvents',
      ['--address', '0x5', '--topic', 'any', '--topic', '0x6'],
      { from_address: '0x5', keys: [[], ['0x6']] },
    ],
    ['receipts', 'starknet_subscribeNewTransactionReceipts', [], {}],
    ['pending', 'starknet_subscribeNewTransactions', [], {}],
    ['status', 'starknet_subscribeTransactionStatus', ['0x9'], { transaction_hash: '0x9' }],
  ])('%s asks %s', async (kind, method, args, params) => {
    const peer = await servePushes('starknet_subscriptionAny', { transaction_hash: '0x9' })
    const all = ['watch', kind, ...args, '--rpc-url', peer.url, '--spec-version', '0.9', '--count', '1', '--json']
    const { code, stdout } = await runWayleave(all)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ method: 'starknet_subscriptionAny', result: { transaction_hash: '0x9' } })
    expect(peer.calls).toEqual([[method, params]])
  })
})

describe('an event as lines', () => {
  const pipe = { isTTY: false } as NodeJS.WriteStream
  const terminal = Object.assign(new Writable(), {
    isTTY: true,
    getColorDepth: () => 1,
  }) as unknown as NodeJS.WriteStream
  const log = { address: '0xab', topics: ['0x1', '0x2'], data: '0x', blockNumber: '0x10', logIndex: '0x1' }

  it('says of a log whether it is taken back', () => {
    const { print, title } = eventLines('logs', pipe)
    expect(title).toBe('')
    expect(print(JSON.stringify(log))).toBe('+\t16\t1\t0xab\t0x1,0x2\t0x\n')
    expect(print(JSON.stringify({ ...log, removed: true }))).toBe('-\t16\t1\t0xab\t0x1,0x2\t0x\n')
  })

  it('is a line for each receipt, and for a hash', () => {
    const receipt = { blockNumber: '0x2', transactionHash: '0x5', status: '0x1', gasUsed: '0x5208' }
    expect(eventLines('receipts', pipe).print(JSON.stringify([receipt, receipt]))).toBe(
      '+\t2\t0x5\t1\t21000\n'.repeat(2),
    )
    expect(eventLines('pending', pipe).print('"0x12"')).toBe('+\t0x12\n')
  })

  it('is aligned under titles on a terminal, and cannot steer it', () => {
    const { print, title } = eventLines('heads', terminal)
    expect(title).toContain('block')
    const line = print(JSON.stringify({ number: '0x1', hash: '\u001b[2J', timestamp: '0x0' }))
    expect(line.startsWith('+  1         ')).toBe(true)
    expect(line).not.toContain('\u001b[2J')
    expect(line.indexOf('\\u001b')).toBe(title.indexOf('hash'))
  })
})

it('wayleave watch logs follows a contract, from a block on', async () => {
  const address = await deployLogger()
  const [from] = (await call(http, 'eth_accounts')) as [string]
  await call(http, 'eth_sendTransaction', { from, to: address, data: '0xbeef' })
  const args = ['watch', 'logs', '--rpc-url', url, '--address', address, '--from-block', '0', '--count', '1']
  const { code, stdout } = await runWayleave(args)
  expect(code).toBe(0)
  expect(stdout.split('\t').slice(3)).toEqual([address, `0x${'7'.padStart(64, '0')}`, '0xbeef\n'])
})

describe('a key that a gateway refuses', () => {
  it.each([
    ['watch', 'heads'],
    ['watch', 'logs'],
    ['eth', 'subscribe', 'newHeads'],
  ])('is named by %s %s', async (...words) => {
    const server = createServer((request, response) => {
      const isKnown = request.url === '/v3/known'
      response.writeHead(isKnown ? 200 : 401).end(isKnown ? '' : 'invalid project id\n')
    })
    server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    for (const target of [`http://${host}/v3/wrong`, `ws://${host}/ws/v3/wrong`]) {
      const { code, stderr } = await runWayleave([...words, '--rpc-url', target])
      expect(code).toBe(1)
      expect(stderr).toContain('The key or its secret was refused')
      expect(stderr).toContain('401')
      expect(stderr).not.toContain('nothing listens')
    }
  })
})
