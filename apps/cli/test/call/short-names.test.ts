// The names of every day: over a node that notes what it is asked.
import { describe, expect, it } from 'vitest'
import { evmMethods } from '@wayleave/evm-types'
import { shortNames } from '../../src/call/short-names.ts'
import { file, type Run, runWayleave, serveNode } from '../helpers.ts'

const account = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const hash = `0x${'12'.repeat(32)}`
const signed = `0x02f8${'ab'.repeat(60)}`

/** A node that gives these answers, and what it was asked. */
async function nodeOf(answers: Readonly<Record<string, unknown>>): Promise<{ url: string; seen: unknown[] }> {
  const seen: unknown[] = []
  const { url } = await serveNode(({ method, params }) => {
    seen.push([method, ...(params as unknown[])])
    return answers[method] ?? null
  })
  return { url, seen }
}

const answers = {
  eth_getBalance: '0x14d1120d7b160000',
  eth_getTransactionCount: '0x5',
  eth_getCode: '0x6000',
  eth_sendRawTransaction: hash,
}

describe.each([
  ['wayleave eth', ['eth']],
  ['wayleave', []],
])('%s', (_what, before) => {
  it.each([
    [['block'], ['eth_getBlockByNumber', 'latest', false]],
    [
      ['block', 'safe'],
      ['eth_getBlockByNumber', 'safe', false],
    ],
    [
      ['block', '16'],
      ['eth_getBlockByNumber', '0x10', false],
    ],
    [
      ['block', '--block', '16'],
      ['eth_getBlockByNumber', '0x10', false],
    ],
    [
      ['block', '--full'],
      ['eth_getBlockByNumber', 'latest', true],
    ],
    [
      ['block', hash],
      ['eth_getBlockByHash', hash, false],
    ],
    [
      ['block', hash, '--full'],
      ['eth_getBlockByHash', hash, true],
    ],
    [
      ['tx', hash],
      ['eth_getTransactionByHash', hash],
    ],
    [
      ['receipt', hash],
      ['eth_getTransactionReceipt', hash],
    ],
    [
      ['balance', account],
      ['eth_getBalance', account, 'latest'],
    ],
    [
      ['balance', account, '16'],
      ['eth_getBalance', account, '0x10'],
    ],
    [
      ['nonce', account],
      ['eth_getTransactionCount', account, 'latest'],
    ],
    [
      ['nonce', account, 'pending'],
      ['eth_getTransactionCount', account, 'pending'],
    ],
    [
      ['code', account, '--block', '0'],
      ['eth_getCode', account, '0x0'],
    ],
    [
      ['send', signed],
      ['eth_sendRawTransaction', signed],
    ],
  ])('%j asks %j', async (args, asked) => {
    const { url, seen } = await nodeOf(answers)
    const { code, stderr } = await runWayleave([...before, ...args, '--rpc-url', url])
    expect({ code, stderr, seen }).toEqual({ code: 0, stderr: '', seen: [asked] })
  })
})

describe('a short name', () => {
  const onTerminal = (args: readonly string[]): Promise<Run> => runWayleave(args, {}, '', true)

  it('prints for people on a terminal, and exactly what came to a pipe', async () => {
    const { url } = await nodeOf(answers)
    const to = ['--rpc-url', url]
    expect((await onTerminal(['balance', account, ...to])).stdout).toBe(
      '0x14d1120d7b160000  1.5 ether, 1500000000000000000 wei\n',
    )
    expect((await runWayleave(['balance', account, ...to])).stdout).toBe('0x14d1120d7b160000\n')
    expect((await runWayleave(['balance', account, '--json', ...to])).stdout).toBe('"0x14d1120d7b160000"\n')
    expect((await onTerminal(['nonce', account, ...to])).stdout).toBe('0x5  5\n')
    expect((await onTerminal(['receipt', hash, ...to])).stdout).toBe(
      'null  the transaction is not mined yet, or the node does not know it\n',
    )
    expect((await runWayleave(['receipt', hash, ...to])).stdout).toBe('null\n')
  })

  it('shows the length of the long lists of a block on a terminal, and all of them to a pipe', async () => {
    const block = { number: '0x10', transactions: Array.from({ length: 4 }, () => hash), uncles: [] }
    const { url } = await nodeOf({ eth_getBlockByNumber: block })
    const short = await onTerminal(['block', '--rpc-url', url])
    expect(short.stdout).toBe('number        0x10  16\ntransactions  4 in all; --json shows them\nuncles        []\n')
    const piped = await runWayleave(['block', '--rpc-url', url])
    expect(piped.stdout.match(/^transactions\[\d\]\t/gm)).toHaveLength(4)
    const whole = await onTerminal(['eth', 'get-block-by-number', '--rpc-url', url])
    expect(whole.stdout.match(/^transactions\[\d\] /gm)).toHaveLength(4)
  })

  it('says of a receipt whether it succeeded', async () => {
    const { url } = await nodeOf({ eth_getTransactionReceipt: { transactionHash: hash, status: '0x0' } })
    expect((await onTerminal(['receipt', hash, '--rpc-url', url])).stdout).toBe(
      `transactionHash  ${hash}\nstatus           0x0  reverted\n`,
    )
  })

  it('send reads a file or stdin', async () => {
    const { url, seen } = await nodeOf(answers)
    const path = await file('signed.txt', `${signed}\n`)
    expect(await runWayleave(['send', `@${path}`, '--rpc-url', url])).toEqual({
      code: 0,
      stdout: `${hash}\n`,
      stderr: '',
    })
    expect(await runWayleave(['send', '-', '--rpc-url', url], {}, ` ${signed}\n`)).toMatchObject({ code: 0 })
    expect(seen).toEqual([
      ['eth_sendRawTransaction', signed],
      ['eth_sendRawTransaction', signed],
    ])
  })

  it.each([
    [['tx'], 'expected HASH, got nothing'],
    [['receipt'], 'expected HASH, got nothing'],
    [['receipt', '0x12'], 'HASH: expected a 32-byte hash'],
    [['tx', '0x12'], 'HASH: expected a 32-byte hash'],
    [['balance'], 'ADDRESS is missing: expected ADDRESS [BLOCK]'],
    [
      ['block', 'lastest'],
      'BLOCK: expected a number (100, or 0x64 without leading zeros), latest, safe, finalized, pending, earliest or a hash, got "lastest" (did you mean "latest"?); --unchecked sends it all the same',
    ],
    [['block', '--block', '1x'], 'earliest or a hash, got "1x"; --unchecked'],
    [['balance', account, '0x01'], 'BLOCK: expected a number (100, or 0x64 without leading zeros), latest, '],
    [['eth', 'get-block-by-number', hash], 'finalized, pending or earliest, got "0x12'],
    [['block', '1', '--block', '2'], 'the block came twice: by --block and by its position'],
    [['tx', hash, '--full'], '--full: belongs to wayleave eth block'],
    [['send'], 'expected TRANSACTION, got nothing'],
    [['send', 'signed.txt'], 'TRANSACTION: expected'],
    [
      ['send', '@/nowhere'],
      'send: TRANSACTION: expected a file that can be read, got "/nowhere" (there is no such file)',
    ],
    [
      ['send', '--to', account, '--value', '1ether'],
      '--to: send takes a transaction that is signed; wayleave eth send-transaction has a node sign one whose key it keeps',
    ],
    [['balanse', account], 'there is no command "balanse" (did you mean "balance"?)'],
    [['eth', 'recipt', hash], 'there is no method "recipt" (did you mean "receipt"?)'],
    [
      ['eth', 'debug_traceTransaction', hash],
      'there is no method "debug_traceTransaction"; wayleave rpc debug_traceTransaction calls it',
    ],
    [['eth_chainId'], 'there is no command "eth_chainId"; wayleave rpc eth_chainId calls a method'],
  ])('refuses %j, and asks nothing', async (args, words) => {
    const { url, seen } = await nodeOf(answers)
    const { code, stdout, stderr } = await runWayleave(args, { WAYLEAVE_RPC_URL: url })
    expect({ code, stdout, seen }).toEqual({ code: 2, stdout: '', seen: [] })
    expect(stderr).toContain(words)
  })

  it('tells of itself with --help, by either way', async () => {
    for (const [name, { usage, methodOf }] of Object.entries(shortNames)) {
      const { code, stdout } = await runWayleave([name, '--help'])
      expect(code).toBe(0)
      expect(stdout).toContain(`Usage: wayleave eth ${name} ${usage} [options]\n`)
      expect(stdout).toContain(`Calls ${methodOf([])}`)
      expect(Object.hasOwn(evmMethods, methodOf([]))).toBe(true)
      expect((await runWayleave(['help', 'eth', name])).stdout).toBe(stdout)
    }
  })
})

it.each(['tx', 'receipt', 'send'])('the help of %s tells of no BLOCK, which it does not take', async (name) => {
  expect((await runWayleave([name, '--help'])).stdout).not.toContain('BLOCK')
  expect((await runWayleave(['balance', '--help'])).stdout).toContain('A BLOCK is latest, safe')
})
