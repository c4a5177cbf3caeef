import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type AnvilExit,
  findStarknetDevnet,
  readStarknetChain,
  startStarknetDevnet,
  type StarknetDevnetOptions,
} from '../src/index.ts'
import { call, fastClock, folder, isAlive, within } from './helpers.ts'

/** A program in place of starknet-devnet; `body` runs before it listens, `server` and `port` are at hand. */
async function program(body = '', name = 'starknet-devnet'): Promise<string> {
  const path = join(await folder(), name)
  const source = `#!${process.execPath}
const { createServer } = require('node:http')
const { writeFileSync, readFileSync } = require('node:fs')
const args = process.argv.slice(2)
const flag = (name) => args[args.indexOf(name) + 1]
const dump = flag('--dump-path')
const account = { address: '0x1', private_key: '0x2', public_key: '0x3', initial_balance: '1000', balance: null }
const answers = {
  starknet_chainId: '0x534e5f5345504f4c4941',
  devnet_getPredeployedAccounts: Array(Number(flag('--accounts'))).fill(account),
  told: { args, env: process.env },
}
let state = []
const server = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const { id, method, params } = JSON.parse(text)
  if (method === 'add') state.push(...params)
  const result = method === 'state' ? state : answers[method] ?? true
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
})
${body}
server.listen(0, '127.0.0.1', () => {
  process.on('SIGINT', () => {
    if (args.includes('--dump-on')) writeFileSync(dump, JSON.stringify(state))
    process.exit(0)
  })
  console.log('Private key: 0x5EC3E7')
  console.log('2026-01-01T00:00:00Z  INFO starknet_devnet: Starknet Devnet listening on 127.0.0.1:' + server.address().port)
})
`
  await writeFile(path, source)
  await chmod(path, 0o755)
  return path
}

const start = (binary: string, options: Partial<StarknetDevnetOptions> = {}) =>
  startStarknetDevnet({ binary, ...options })

test('accounts that a node lists in a way of its own are left out, and none reaches a terminal with more than digits', async () => {
  const good = { address: '0x1', private_key: '0x2', public_key: '0x3', initial_balance: '1000' }
  const listed = [
    null,
    'x',
    {},
    { ...good, address: '\u001B[2J' },
    { ...good, private_key: 2 },
    { ...good, initial_balance: 1e21 },
    { ...good, balance: { eth: {}, strk: { amount: '1' } } },
    { ...good, balance: { eth: { amount: '5' }, strk: { amount: '6' } } },
  ]
  const answers: Readonly<Record<string, unknown>> = {
    starknet_chainId: '0x534e5f5345504f4c4941',
    devnet_getPredeployedAccounts: listed,
  }
  const url = await served((id, method, response) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] })),
  )
  expect(await readStarknetChain(url)).toEqual({
    chainId: 'SN_SEPOLIA',
    accounts: [{ address: '0x1', privateKey: '0x2', publicKey: '0x3', balance: { wei: 5n, fri: 6n } }],
  })
})

test.each([
  ['with an error', 200, '{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}'],
  ['with a page', 403, '<h1>Forbidden</h1>'],
  ['with nonsense', 200, 'no such method'],
])('a node is one without accounts where it answers the question for them %s', async (_, status, body) => {
  const url = await served((id, method, response) => {
    response.statusCode = method === 'starknet_chainId' ? 200 : status
    response.end(method === 'starknet_chainId' ? JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' }) : body)
  })
  expect(await readStarknetChain(url)).toEqual({ chainId: '0x1', accounts: [] })
})

test.each([
  ['0.10.0-rc.1', '0.10.0-rc.1'],
  ['\u001B[2J', undefined],
  [7, undefined],
])('a node that says it speaks %j speaks %s', async (reported, specVersion) => {
  const answers: Readonly<Record<string, unknown>> = { starknet_chainId: '0x1', starknet_specVersion: reported }
  const url = await served((id, method, response) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? null })),
  )
  expect(await readStarknetChain(url)).toStrictEqual({ chainId: '0x1', specVersion, accounts: [] })
})

describe.skipIf(process.platform === 'win32')('starknet-devnet', () => {
  test('is found in the first folder of the PATH that has it as a program', async () => {
    const binary = await program()
    const beside = await program('', 'another')
    const PATH = ['', '/nowhere', join(beside, '..'), join(binary, '..')].join(':')
    expect(findStarknetDevnet({ PATH })).toBe(binary)
    await chmod(binary, 0o644)
    expect(findStarknetDevnet({ PATH })).toBeUndefined()
    const inside = join(await folder(), 'a folder with spaces')
    await mkdir(join(inside, 'starknet-devnet'), { recursive: true })
    expect(findStarknetDevnet({ PATH: inside })).toBeUndefined()
    expect(findStarknetDevnet({})).toBeUndefined()
  })

  test('tells its URL, its chain and its accounts, and gets nothing of the environment that it would read', async () => {
    process.env['SEED'] = '77'
    await using chain = await start(await program(), { accounts: 2, seed: 5 })
    delete process.env['SEED']
    expect(chain.httpUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(chain.chainId).toBe('SN_SEPOLIA')
    const account = { address: '0x1', privateKey: '0x2', publicKey: '0x3', balance: { wei: 1_000n, fri: 1_000n } }
    expect(chain.accounts).toEqual([account, account])
    const { args, env } = (await call(chain.httpUrl, 'told')) as { args: string[]; env: Record<string, string> }
    expect(args.join(' ')).toBe('--host 127.0.0.1 --port 0 --accounts 2 --seed 5')
    expect(env['SEED']).toBeUndefined()
  })

  test('keeps what it has over a restart, and what it had where it is killed', async () => {
    const [binary, dataDir] = [await program('try { state = JSON.parse(readFileSync(dump)) } catch {}'), await folder()]
    const first = await start(binary, { dataDir })
    await call(first.httpUrl, 'add', 'a')
    await first.close()
    expect(isAlive(first.pid)).toBe(false)
    const second = await start(binary, { dataDir })
    expect(await call(second.httpUrl, 'state')).toEqual(['a'])
    await call(second.httpUrl, 'add', 'b')
    process.kill(second.pid, 'SIGKILL')
    await second.exited
    await using third = await start(binary, { dataDir })
    expect(await call(third.httpUrl, 'state')).toEqual(['a'])
  })

  test('that ends before it listens is told with what it wrote about it', async () => {
    const refused = start(await program("console.error('no such option'); process.exit(2)"))
    await expect(refused).rejects.toMatchObject({
      code: 'start_failed',
      message: 'starknet-devnet exited with status 2 before it was ready; it wrote: no such option',
    })
  })

  test('that is no program is told', async () => {
    await expect(start('/nowhere/starknet-devnet')).rejects.toMatchObject({ code: 'start_failed' })
  })

  test('that does not read its state names the file and leaves it as it is', async () => {
    const dataDir = await folder()
    const stateFile = join(dataDir, 'starknet-dev.json')
    await writeFile(stateFile, '[not json]')
    const binary = await program('JSON.parse(readFileSync(dump))')
    await expect(start(binary, { dataDir })).rejects.toMatchObject({
      code: 'state_unreadable',
      message: expect.stringContaining(`while it read ${stateFile}: restore it`),
    })
    expect(await readFile(stateFile, 'utf8')).toBe('[not json]')
  })

  test('that never listens, or whose start is aborted, is ended', async () => {
    const silent = await program('server.listen = () => setInterval(() => {}, 1_000)')
    await expect(start(silent, { clock: fastClock(400) })).rejects.toMatchObject({
      code: 'start_failed',
      message: 'starknet-devnet did not start within 30000 ms',
    })
    const controller = new AbortController()
    const starting = start(silent, { signal: controller.signal })
    setTimeout(() => controller.abort(), 50)
    await expect(starting).rejects.toMatchObject({ code: 'aborted' })
    await expect(start(silent, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' })
  })

  test('ends when its signal aborts, unreported, and is reported once where it dies by itself', async () => {
    const binary = await program()
    const exits: AnvilExit[] = []
    const controller = new AbortController()
    const ended = await start(binary, { signal: controller.signal, onExit: (exit) => exits.push(exit) })
    controller.abort()
    expect(await ended.exited).toMatchObject({ status: 0, expected: true })
    expect(exits).toEqual([])
    const dying = await start(binary, { onExit: (exit) => exits.push(exit) })
    process.kill(dying.pid, 'SIGKILL')
    await dying.exited
    expect(exits).toEqual([{ status: 137, expected: false, message: 'starknet-devnet exited with status 137' }])
  })
})

const binary = findStarknetDevnet()

describe.skipIf(binary === undefined)('a real starknet-devnet (skipped where none is on the PATH)', () => {
  test('has funded accounts of its seed, and finds its state again', { timeout: 60_000 }, async () => {
    const dataDir = await folder()
    const first = await start(binary!, { dataDir, accounts: 2 })
    expect(first.chainId).toBe('SN_SEPOLIA')
    expect(first.accounts).toHaveLength(2)
    const [{ address, balance }] = first.accounts as [(typeof first.accounts)[0]]
    expect(balance.fri).toBeGreaterThan(0n)
    const minted = await handled(first.httpUrl, 'devnet_mint', { address, amount: 7, unit: 'FRI' })
    expect(minted).toMatchObject({ new_balance: String(balance.fri + 7n) })
    await first.close()
    expect(await within(15_000, () => !isAlive(first.pid))).toBe(true)
    await using second = await start(binary!, { dataDir, accounts: 2 })
    expect(second.accounts[0]).toMatchObject({ address, balance: { fri: balance.fri + 7n } })
    expect(await readStarknetChain(second.httpUrl)).toMatchObject({ chainId: 'SN_SEPOLIA' })
  })
})

/** The URL of a node until the test ends. */
async function served(answer: (id: number, method: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer(async (request, response) => {
    const { id, method } = (await json(request)) as { id: number; method: string }
    answer(id, method, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The result of a call with params by name. */
async function handled(url: string, method: string, params: object): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await response.json()) as { result: unknown }).result
}
