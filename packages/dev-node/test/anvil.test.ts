import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { findAnvil } from '../src/anvil.ts'
import { type AnvilExit, devAccounts, DevNodeError, startAnvil } from '../src/index.ts'
import { call, fastClock, isAlive } from './helpers.ts'
import { argsOf, runningWith } from './processes.ts'

describe('a started anvil', () => {
  test('answers over HTTP on a loopback port with its chain id and the known accounts', async () => {
    await using anvil = await startAnvil({ name: 'a', chainId: 4321 })
    expect(runningWith('--chain-id 4321')).toBe(true)
    expect(anvil.httpUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(anvil.chainId).toBe(4321)
    expect(await call(anvil.httpUrl, 'eth_chainId')).toBe('0x10e1')
    const accounts = devAccounts.map(({ address }) => address.toLowerCase())
    expect(await call(anvil.httpUrl, 'eth_accounts')).toEqual(accounts)
    expect(await call(anvil.httpUrl, 'eth_getBalance', accounts[9], 'latest')).toBe('0x21e19e0c9bab2400000')
  })

  test('answers over WebSocket', async () => {
    await using anvil = await startAnvil({ name: 'a', chainId: 1 })
    const socket = new WebSocket(anvil.wsUrl)
    await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }))
    const message = new Promise<MessageEvent>((resolve) => socket.addEventListener('message', resolve, { once: true }))
    socket.send('{"jsonrpc":"2.0","id":7,"method":"eth_chainId","params":[]}')
    expect(JSON.parse(String((await message).data))).toEqual({ jsonrpc: '2.0', id: 7, result: '0x1' })
    socket.close()
  })

  test('takes bodies of 5 MiB, and refuses a web page of another origin', async () => {
    await using anvil = await startAnvil({ name: 'a', chainId: 1 })
    expect(await call(anvil.httpUrl, 'web3_sha3', `0x${'00'.repeat(2_500_000)}`)).toMatch(/^0x[0-9a-f]{64}$/)
    const headers = { origin: 'http://elsewhere.example', 'access-control-request-method': 'POST' }
    const preflight = await fetch(anvil.httpUrl, { method: 'OPTIONS', headers })
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('ends by close, which may be called again, and is not reported', async () => {
    const exits: AnvilExit[] = []
    const anvil = await startAnvil({ name: 'a', chainId: 1, onExit: (exit) => exits.push(exit) })
    expect(isAlive(anvil.pid)).toBe(true)
    await Promise.all([anvil.close(), anvil.close()])
    expect(isAlive(anvil.pid)).toBe(false)
    await anvil.close()
    expect(await anvil.exited).toMatchObject({ expected: true })
    expect(exits).toEqual([])
  })

  test('that dies by itself is reported once, with its status', async () => {
    const exits: AnvilExit[] = []
    const anvil = await startAnvil({ name: 'short-lived', chainId: 1, onExit: (exit) => exits.push(exit) })
    process.kill(anvil.pid, 'SIGKILL')
    const exit = await anvil.exited
    expect(exit).toMatchObject({ status: 137, expected: false })
    expect(exit.message).toContain('anvil "short-lived" exited with status 137')
    await anvil.close()
    expect(exits).toEqual([exit])
  })

  test('leaves no states of old blocks behind', async () => {
    const anvil = await startAnvil({ name: 'a', chainId: 1 })
    const scratch = /--cache-path (\S+)/.exec(argsOf(anvil.pid))![1]!
    await call(anvil.httpUrl, 'anvil_mine', '0x258')
    expect(readdirSync(scratch)).not.toEqual([])
    await anvil.close()
    expect(existsSync(scratch)).toBe(false)
  })
})

describe('a signal', () => {
  test('that is aborted already prevents the start', async () => {
    const refused = startAnvil({ name: 'a', chainId: 1, signal: AbortSignal.abort(new Error('not now')) })
    await expect(refused).rejects.toMatchObject({ code: 'aborted', cause: { message: 'not now' } })
  })

  test('that aborts during the start ends it and leaves no process', async () => {
    const controller = new AbortController()
    const starting = startAnvil({ name: 'a', chainId: 77_001, signal: controller.signal })
    setTimeout(() => controller.abort(), 5)
    await expect(starting).rejects.toMatchObject({ code: 'aborted' })
    expect(runningWith('--chain-id 77001')).toBe(false)
  })

  test('that aborts later closes the chain as expected', async () => {
    const controller = new AbortController()
    const exits: AnvilExit[] = []
    const anvil = await startAnvil({
      name: 'a',
      chainId: 1,
      signal: controller.signal,
      onExit: (exit) => exits.push(exit),
    })
    controller.abort()
    expect(await anvil.exited).toMatchObject({ expected: true })
    expect(isAlive(anvil.pid)).toBe(false)
    expect(exits).toEqual([])
  })
})

describe('a start that fails', () => {
  test('for an impossible option quotes what anvil wrote and prints no key', async () => {
    const error = await startAnvil({ name: 'odd', chainId: -1 }).then(String, (thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(DevNodeError)
    expect(error).toMatchObject({ code: 'start_failed' })
    expect((error as DevNodeError).message).toMatch(
      /anvil "odd" exited with status 2 before it was ready; it wrote: .*-1/s,
    )
  })

  test('for the deadline says so, and no process is left', async () => {
    const error = await startAnvil({ name: 'slow', chainId: 77_002, clock: fastClock(1e6) }).then(
      String,
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ code: 'start_failed' })
    expect((error as DevNodeError).message).toContain('anvil "slow" did not start within 30000 ms')
    expect(runningWith('--chain-id 77002')).toBe(false)
    expect(devAccounts.filter(({ privateKey }) => inspect(error).includes(privateKey.slice(2)))).toEqual([])
  })
})

test('what is held of a running chain shows no private key', async () => {
  await using anvil = await startAnvil({ name: 'a', chainId: 1 })
  const shown = inspect(anvil, { depth: 9, showHidden: true })
  expect(shown).toContain('chainId: 1')
  expect(devAccounts.filter(({ privateKey }) => shown.includes(privateKey.slice(2)))).toEqual([])
})

test('the binary of this machine is found and may be executed', () => {
  expect(() => accessSync(findAnvil(), constants.X_OK)).not.toThrow()
})

test('a platform without a build is named, beside those that have one', () => {
  expect(() => findAnvil('sunos', 'x64')).toThrow(
    expect.objectContaining({
      code: 'unsupported_platform',
      message: expect.stringMatching(/sunos-x64.*linux-x64.*win32-x64/),
    }),
  )
})

test('a build that is not installed is named, with what to do', () => {
  // The package manager installs the build of this machine only.
  const other = process.platform === 'win32' ? 'linux' : 'win32'
  expect(() => findAnvil(other, 'x64')).toThrow(
    expect.objectContaining({ code: 'binary_missing', message: expect.stringContaining('optional dependencies') }),
  )
})
