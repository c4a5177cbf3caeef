import { spawnSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  call,
  type Dev,
  key,
  type Run,
  runWayleave,
  serveNode,
  startDev,
  startRelay,
  wayleave,
  within,
} from '../helpers.ts'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../../vitest.bundle.ts'

const { cli: main } = await bundlePrograms()
const rich = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const poor = '0x00000000000000000000000000000000c0ffee00'
const word = (value: number): string => value.toString(16).padStart(64, '0')

/** Code that reverts with `payload`, as the creation of a contract: CODECOPY of what follows its 14 bytes, then REVERT. */
function revertingWith(payload: string): string {
  const size = (payload.length / 2).toString(16).padStart(4, '0')
  return `0x61${size}600e60003961${size}6000fd${payload}`
}

describe('wayleave eth', () => {
  let dev: Dev

  beforeAll(async () => {
    dev = await startDev()
  })

  afterAll(() => dev.stop())

  const eth = (...args: string[]): Promise<Run> => runWayleave(['eth', ...args], { WAYLEAVE_RPC_URL: dev.url() })
  const answer = (stdout: string): Run => ({ code: 0, stdout, stderr: '' })

  it.each(['get-balance', 'getBalance', 'eth_getBalance', 'balance', 'GET-BALANCE'])('finds %s', async (name) => {
    expect(await eth(name, rich, 'earliest')).toEqual(answer('0x21e19e0c9bab2400000\n'))
  })

  it('takes a block by position or by flag, decimal or hex, and else the latest', async () => {
    for (const args of [[], ['0'], ['0x0'], ['latest'], ['--block', '0'], ['--block', 'earliest']]) {
      expect((await eth('get-balance', poor, ...args)).stdout).toBe('0x0\n')
    }
    expect((await eth('get-block-by-number', '--json')).stdout).toMatch(/^\{"hash":[^\n]+\}\n$/)
    expect((await eth('get-block-by-number', '0')).stdout).toMatch(/^number\t0x0$/m)
  })

  it('takes a storage position and an index in decimal', async () => {
    expect((await eth('get-storage-at', poor, '17')).stdout).toBe(`0x${'0'.repeat(64)}\n`)
    expect(await eth('get-uncle-by-block-number-and-index', 'latest', '0')).toEqual(answer('null\n'))
  })

  it('reads a call from flags with units, or from JSON', async () => {
    const seen: unknown[] = []
    const { url } = await serveNode(({ params }) => {
      seen.push(params)
      return '0x5208'
    })
    const flags = '--from|--to|--value|--gas|--max-fee-per-gas|--nonce|--data'.split('|')
    const values = [rich, poor, '1.5ether', '21000', '30gwei', '7', '0x12']
    const args = flags.flatMap((flag, i) => [flag, values[i]!])
    expect(await eth('estimate-gas', ...args, '--rpc-url', url)).toEqual(answer('0x5208\n'))
    expect((await eth('call', JSON.stringify({ to: poor }), '16', '--rpc-url', url)).code).toBe(0)
    expect(seen).toEqual([
      [
        {
          to: poor,
          from: rich,
          data: '0x12',
          value: '0x14d1120d7b160000',
          gas: '0x5208',
          maxFeePerGas: '0x6fc23ac00',
          nonce: '0x7',
        },
      ],
      [{ to: poor }, '0x10'],
    ])
  })

  it('reads a log filter from flags', async () => {
    const seen: unknown[] = []
    const { url } = await serveNode(({ params }) => {
      seen.push(params)
      return []
    })
    const topic = `0x${word(1)}`
    const args = ['--address', rich, '--address', poor, '--topic', topic, '--topic', 'any', '--from-block', '16']
    expect(await eth('get-logs', ...args, '--rpc-url', url)).toEqual(answer('[]\n'))
    expect(seen).toEqual([[{ address: [rich, poor], topics: [topic, null], fromBlock: '0x10' }]])
  })

  it.each([
    [
      'Error',
      `08c379a0${word(32)}${word(4)}${Buffer.from('no!!').toString('hex').padEnd(64, '0')}`,
      'reverted: "no!!"',
    ],
    ['Panic', `4e487b71${word(0x11)}`, 'reverted: panic 0x11, an arithmetic operation overflowed or underflowed'],
    ['a custom error', `cf479181${word(5)}`, `reverted: custom error 0xcf479181\n  [0] 0x${word(5)}`],
    ['no reason', '', 'reverted: without a reason'],
  ])('tells a revert with %s by its reason, and exits 1', async (_what, payload, words) => {
    const args = ['estimate-gas', '--from', rich, '--data', revertingWith(payload)]
    const { code, stdout, stderr } = await eth(...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(`\n${words}\ndata: "0x${payload}"\n`)
    const json = await eth(...args, '--json')
    expect({ code: json.code, stderr: json.stderr }).toEqual({ code: 1, stderr: '' })
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 3, data: `0x${payload}`, revert: {} } })
  })

  it('prints what a node answers wrongly, and says on stderr what is wrong with it', async () => {
    const { url } = await serveNode(() => '123')
    const { code, stdout, stderr } = await eth('block-number', '--rpc-url', url)
    expect({ code, stdout }).toEqual({ code: 0, stdout: '123\n' })
    expect(stderr).toMatch(/^note: eth_blockNumber result: expected a hex quantity .*, got "123"\n$/)
  })

  it.each([
    [[], 'expected a METHOD'],
    [['get-balanc', rich], 'there is no method "get-balanc" (did you mean "get-balance"?)'],
    [['get-balance'], 'ADDRESS is missing: expected ADDRESS [BLOCK]'],
    [['get-balance', '0x12'], 'ADDRESS: expected a 20-byte address (0x and 40 hex digits), got "0x12"; --unchecked'],
    [['get-balance', rich, 'latest', 'more'], 'too many arguments: expected ADDRESS [BLOCK]'],
    [['chain-id', '1'], 'too many arguments: expected none'],
    [['get-balance', rich, 'latest', '--block', '1'], 'the block came twice'],
    [['get-balance', '--block', '1'], 'ADDRESS is missing'],
    [['chain-id', '--block', '1'], '--block: eth_chainId has no such param'],
    [['get-balance', rich, '--value', '1'], '--value: eth_getBalance has no such param: expected ADDRESS [BLOCK], by'],
    [['get-balance', '--address', rich], '--address: eth_getBalance has no such param: expected ADDRESS [BLOCK], by'],
    [['get-logs', '--address', '0x1'], '--address: expected a 20-byte address'],
    [['get-logs', '--topic', 'transfer'], '--topic: expected '],
    [
      ['get-logs', '--from-block', 'lates'],
      '--from-block: expected a number (100, or 0x64 without leading zeros), latest, ',
    ],
    [['call', '--to', '0x1'], '--to: expected a 20-byte address'],
    [['call', '{"to":"0x1"}'], 'params[0].to: expected a 20-byte address'],
    [['call', '--to', poor, '--value', '1.5eth'], '--value: expected wei as a number (1000, 0x3e8), or with a unit'],
    [['call', '--to', poor, '--gas', '1gwei'], '--gas: expected a number: 21000 or 0x5208; got "1gwei"'],
    [['chain-id', '--count', '1'], '--count: belongs to wayleave eth subscribe'],
    [['subscribe'], 'expected a kind: newHeads, logs, transactionReceipts, newPendingTransactions, syncing'],
    [['subscribe', 'newHeadz'], 'there is no subscription to "newHeadz" (did you mean "newHeads"?)'],
    [['subscribe', 'newHeads', '--address', rich], '--address: a subscription to newHeads has no such param'],
    [['subscribe', 'logs', '--from-block', '1'], '--from-block: a subscription to logs has no such param'],
    [['subscribe', 'logs', '{}', '--address', rich], 'the filter came twice: by flags and as JSON'],
    [['subscribe', 'newHeads', '--count', '0'], '--count: expected a whole number above 0, got "0"'],
    [['subscribe', 'logs', '{"address":"0x1"}'], 'params[1].address: expected'],
    [['chain-id', '--timeout', 'soon'], '--timeout: expected seconds above 0, got "soon"'],
  ])('refuses %j with exit code 2', async (args, words) => {
    const { code, stdout, stderr } = await eth(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`wayleave eth: ${words}`)
  })

  it.each([
    [['chain-id', `https://host/v3/${key}`], 'a URL came as an argument: give it by --rpc-url'],
    [[`https://host/v3/${key}`], 'a URL came where a METHOD was expected: give it by --rpc-url'],
    [['chain-id', '--rpc-url', `htp://host/v3/${key}`], '--rpc-url: expected an http, https, ws or wss URL'],
  ])('refuses %j without printing the key', async (args, words) => {
    const { code, stdout, stderr } = await eth(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`wayleave eth: ${words}\n`)
    expect(stderr).not.toContain(key)
  })

  it('tells of each method what it takes, where it is defined, and an example', async () => {
    const { code, stdout } = await eth('get-storage-at', '--help')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Usage: wayleave eth get-storage-at ADDRESS POSITION \[BLOCK\] \[options\]\n/)
    expect(stdout).toContain(
      'The 32-byte value at a storage position of a contract.\nCalls eth_getStorageAt. Source: Spec §4.2.\n',
    )
    expect(stdout).toMatch(/\nExample:\n {2}wayleave eth get-storage-at 0x\w{40} 0 latest\n$/)
    expect((await eth('estimate-gas', '--help')).stdout).toContain('--value W, --gas-price W')
    expect((await eth('subscribe', '--help')).stdout).toContain('--count N')
    expect((await eth('--rpc-url', 'http://host', 'get-storage-at', '--help')).stdout).toBe(stdout)
    const list = (await eth('--help')).stdout
    for (const name of ['get-storage-at', 'get-block-receipts', 'estimate-gas', 'subscribe'])
      expect(list).toMatch(new RegExp(`^  ${name} +\\S`, 'm'))
  })

  it('streams heads in lines, and ends after --count', async () => {
    const heads = wayleave(['eth', 'subscribe', 'newHeads', '--count', '2'], { WAYLEAVE_RPC_URL: dev.url() })
    // Mined until it has heard two: when it is subscribed cannot be seen from here.
    const over = await within(40_000, async () => {
      await call(dev.url(), 'evm_mine')
      return heads.child.exitCode !== null
    })
    expect({ over, code: await heads.exited, stderr: heads.stderr() }).toEqual({ over: true, code: 0, stderr: '' })
    const lines = heads.stdout().trimEnd().split('\n')
    const numbers = lines.map((line) => Number((JSON.parse(line) as { number: string }).number))
    expect(numbers).toEqual([numbers[0], numbers[0]! + 1])
  })

  it('streams until Ctrl-C, which is no failure', async () => {
    const heads = wayleave(['eth', 'subscribe', 'newHeads', '--json'], { WAYLEAVE_RPC_URL: dev.url() })
    const heard = await within(40_000, async () => {
      await call(dev.url(), 'evm_mine')
      return heads.stdout().includes('\n')
    })
    heads.child.kill('SIGINT')
    expect({ heard, code: await heads.exited, stderr: heads.stderr() }).toEqual({ heard: true, code: 0, stderr: '' })
  })

  it('subscribes again after a drop, and misses no head', async () => {
    const relay = await startRelay(dev.url())
    const heads = wayleave(['eth', 'subscribe', 'newHeads'], { WAYLEAVE_RPC_URL: relay.url })
    const mined = (condition: () => boolean): Promise<boolean> =>
      within(40_000, async () => {
        await call(dev.url(), 'evm_mine')
        return condition()
      })
    expect(await mined(() => heads.stdout().includes('\n'))).toBe(true)
    relay.cut()
    await call(dev.url(), 'evm_mine')
    const before = heads.stdout().length
    expect(await mined(() => heads.stdout().length > before)).toBe(true)
    heads.child.kill('SIGTERM')
    expect({ code: await heads.exited, stderr: heads.stderr() }).toEqual({ code: 0, stderr: '' })
    const lines = heads.stdout().trimEnd().split('\n')
    const numbers = lines.map((line) => Number((JSON.parse(line) as { number: string }).number))
    expect(numbers).toEqual(numbers.map((_, i) => numbers[0]! + i))
  })

  it('ends a stream whose reader has left', async () => {
    const heads = wayleave(['eth', 'subscribe', 'newHeads'], { WAYLEAVE_RPC_URL: dev.url() })
    heads.child.stdout!.destroy()
    const over = await within(40_000, async () => {
      await call(dev.url(), 'evm_mine')
      return heads.child.exitCode !== null
    })
    expect({ over, code: heads.child.exitCode, stderr: heads.stderr() }).toEqual({ over: true, code: 0, stderr: '' })
  })

  it('says that a subscription needs a WebSocket', async () => {
    const { url } = await serveNode(() => '0x1')
    const { code, stderr } = await eth('subscribe', 'newHeads', '--rpc-url', url)
    expect(code).toBe(1)
    expect(stderr).toBe(
      'eth_subscribe needs a WebSocket: give a ws or wss URL, or the URL of a gateway, which ends in /v3/KEY\n',
    )
  })

  /** Of util-linux: gives a command a terminal. */
  const program = 'script'
  const hasScript = spawnSync(program, ['-qec', 'true', '/dev/null']).status === 0
  it.skipIf(!hasScript)(
    'on a real terminal (needs script of util-linux) tells what a quantity stands for, in colour',
    () => {
      const command = `"${process.execPath}" --conditions=@wayleave/source "${main}" eth get-balance ${rich} 0`
      const env = { ...process.env, WAYLEAVE_RPC_URL: dev.url(), TERM: 'xterm-256color', NO_COLOR: '', CI: '' }
      const { stdout } = spawnSync(program, ['-qec', command, '/dev/null'], { env, encoding: 'utf8' })
      expect(stripVTControlCharacters(stdout)).toContain('0x21e19e0c9bab2400000  10000 ether')
    },
  )
})
