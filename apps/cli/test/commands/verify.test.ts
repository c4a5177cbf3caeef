import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verify as command } from '../../src/commands/verify.ts'
import { textOf } from '../../src/commands/verify-print.ts'
import { call, type Dev, type Run, runWayleave, serveNode, startDev } from '../helpers.ts'

const rich = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const payee = '0x00000000000000000000000000000000c0ffee02'

interface Block {
  readonly hash: string
  readonly stateRoot: string
}

let dev: Dev
let paid: string
let first: Block
let latest: Block

beforeAll(async () => {
  dev = await startDev()
  paid = (await call(dev.url(), 'eth_sendTransaction', { from: rich, to: payee, value: '0x5' })) as string
  await call(dev.url(), 'evm_mine')
  first = (await call(dev.url(), 'eth_getBlockByNumber', '0x1', false)) as Block
  latest = (await call(dev.url(), 'eth_getBlockByNumber', '0x2', false)) as Block
}, 120_000)

afterAll(async () => {
  await dev.stop()
})

/** The dev chain, but for what `change` makes of its answers. */
async function relay(
  change: (method: string, result: unknown) => unknown = (_method, result) => result,
): Promise<string> {
  const { url } = await serveNode(async ({ method, params }) =>
    change(method, await call(dev.url(), method, ...(params as unknown[]))),
  )
  return url
}

const verify = (url: string, ...args: string[]): Promise<Run> => runWayleave(['verify', ...args, '--rpc-url', url])
const lastLine = ({ stdout }: Run): string => stdout.trimEnd().split('\n').at(-1)!

describe('wayleave verify', { timeout: 120_000 }, () => {
  it('prints what was recomputed beside what was claimed, and ends with the verdict', async () => {
    const run = await verify(dev.url(), 'tx', paid)
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const lines = run.stdout.split('\n')
    expect(lines[0]).toBe(['hash', 'proven', paid, paid].join('\t'))
    expect(lines[1]).toBe(['from', 'proven', rich.toLowerCase(), rich.toLowerCase()].join('\t'))
    expect(lines).toContain('value\tproven\t0x5\t-')
    expect(lines).toContain(['blockHash', 'unverifiable', first.hash, '-'].join('\t'))
    expect(lastLine(run)).toBe('proven: by the hash that was asked for')
  })

  it('places a transaction by a block that its user vouches for', async () => {
    const run = await verify(await relay(), 'tx', paid, '--anchor', latest.hash)
    expect(run.stdout).toContain(`blockHash\tproven\t${first.hash}\t-`)
    expect([run.code, lastLine(run)]).toEqual([0, 'proven: by the block that --anchor names'])
  })

  it('refuses what is false by its member, with both values', async () => {
    const liar = await relay((method, result) =>
      method === 'eth_getTransactionByHash' ? { ...(result as object), from: payee } : result,
    )
    const run = await verify(liar, 'tx', paid)
    expect(run.code).toBe(1)
    expect(run.stdout).toContain(`from\trefused\t${payee}\t${rich.toLowerCase()}\n`)
    expect(lastLine(run)).toMatch(/^refused: from: /)
    const asJson = await verify(liar, 'tx', paid, '--json')
    expect(asJson.code).toBe(1)
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      verdict: 'refused',
      field: 'from',
      rows: expect.arrayContaining([
        { field: 'from', standing: 'refused', claimed: payee, recomputed: rich.toLowerCase() },
      ]),
    })
  })

  it('takes a block by its hash for proven, and by its number only with a block to vouch for it', async () => {
    const url = await relay()
    const byHash = await verify(url, 'block', first.hash)
    expect(byHash.stdout).toContain(['hash', 'proven', first.hash, first.hash].join('\t'))
    expect(byHash.stdout).toMatch(/^transactionsRoot\tproven\t(0x\w{64})\t\1$/m)
    expect([byHash.code, lastLine(byHash)]).toEqual([0, 'proven: by the hash that was asked for'])
    const byNumber = await verify(url, 'block', '1')
    expect(byNumber.stdout).toContain(['stateRoot', 'consistent', first.stateRoot, '-'].join('\t'))
    expect(byNumber.code).toBe(0)
    expect(lastLine(byNumber)).toMatch(/^consistent: with block 0x\w{64}, which the node itself names; --anchor 0x/)
    const vouched = await verify(url, 'block', '1', '--anchor', latest.hash)
    expect([vouched.code, lastLine(vouched)]).toEqual([0, 'proven: by the block that --anchor names'])
  })

  it('compares receipts with the root in their block', async () => {
    const good = await verify(await relay(), 'receipts', '--anchor', first.hash)
    expect(good.stdout).toMatch(/^receiptsRoot\tproven\t(0x\w{64})\t\1$/m)
    expect(good.stdout).toMatch(/^gasUsed\tproven\t0x5208\t0x5208$/m)
    expect(lastLine(good)).toBe('proven: by the block that --anchor names')
    const liar = await relay((method, result) =>
      method === 'eth_getBlockReceipts' ? (result as object[]).map((one) => ({ ...one, status: '0x0' })) : result,
    )
    const bad = await verify(liar, 'receipts', first.hash)
    expect(bad.stdout).toMatch(/^receiptsRoot\trefused\t/m)
    expect([bad.code, lastLine(bad)]).toEqual([1, expect.stringMatching(/^refused: /)])
  })

  it('compares accounts and storage with a proof of them', async () => {
    const url = await relay()
    const account = await verify(url, 'account', payee, '--anchor', latest.hash)
    expect(account).toMatchObject({ code: 0, stdout: expect.stringMatching(/^balance\tproven\t0x5\t0x5\n/) })
    const unvouched = await verify(url, 'storage', payee, '3')
    const zero = `0x${'0'.repeat(64)}`
    expect(unvouched.stdout.split('\n')[0]).toBe(['value', 'consistent', zero, zero].join('\t'))
    const liar = await relay((method, result) => (method === 'eth_getBalance' ? '0x6' : result))
    const bad = await verify(liar, 'account', payee, latest.hash)
    expect(bad.code).toBe(1)
    expect(bad.stdout).toBe(
      'balance\trefused\t0x6\t0x5\nrefused: balance: the state holds 0x5, and the answer is "0x6"\n',
    )
  })

  it('exits with 3 where nothing can be told', async () => {
    const missing = await verify(dev.url(), 'tx', `0x${'12'.repeat(32)}`)
    expect(missing).toMatchObject({
      code: 3,
      stdout: 'unverifiable: the node has no such transaction, or says so: that nobody can check\n',
    })
    for (const subject of [['block'], ['receipts'], ['account', payee], ['storage', payee, '0']]) {
      const pending = await verify(dev.url(), ...subject, 'pending')
      expect(pending).toMatchObject({ code: 3, stdout: 'unverifiable: the pending block can change\n' })
    }
    const newer = await verify(await relay(), 'block', '2', '--anchor', first.hash)
    expect([newer.code, lastLine(newer)]).toEqual([3, 'unverifiable: block 2 is newer than the trusted block 1'])
  })

  it.each([
    [[], 'expected a SUBJECT: tx, block, receipts, account, storage'],
    [['blok'], 'there is no subject "blok" (did you mean "block"?)'],
    [['tx'], 'tx: expected HASH, got nothing'],
    [['tx', '0x12'], 'HASH: expected a 32-byte hash'],
    [['storage', payee], 'storage: SLOT is missing: expected ADDRESS SLOT [BLOCK]'],
    [['account', '0x12'], 'ADDRESS: expected a 20-byte address'],
    [['block', 'latst'], 'BLOCK: expected '],
    [['block', '1', '2'], 'block: "2" is one argument too many'],
    [['block', '--anchor', '1'], '--anchor: expected a 32-byte hash'],
  ])('refuses %j', async (args, message) => {
    const io = { stdout: () => {}, stderr: () => {}, env: {}, process }
    await expect(command.run(args, io)).rejects.toThrow(message)
  })
})

describe('a terminal', () => {
  const terminal = (columns: number): NodeJS.WriteStream =>
    Object.assign(new Writable(), { isTTY: true, columns, getColorDepth: () => 8 }) as unknown as NodeJS.WriteStream

  it.each([
    [120, 107],
    [0, 80],
    [80, 80],
    [60, 60],
    [30, 48],
  ])('of %i columns gets lines of %i at most, while the ends of a hash stay', (columns, widest) => {
    const long = `0x${'ab'.repeat(32)}`
    const rows = [{ field: 'hash'.padEnd(9), level: 'proven', claimed: long, recomputed: long }] as const
    const text = stripVTControlCharacters(
      textOf({ verdict: 'proven', reason: 'by this test', rows }, terminal(columns)),
    )
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(widest)
    expect(text).toMatch(/ 0x(?:ab)*a?…abababab +0x(?:ab)*a?…abababab\n/)
  })

  it('gets a table with shortened values, and no control characters of the node', () => {
    const stream = terminal(200)
    const long = `0x${'ab'.repeat(32)}`
    const rows = [
      { field: 'hash', level: 'proven', claimed: long, recomputed: long },
      { field: 'extra', level: 'unverifiable', claimed: 'a\u001b[2Jb\tc', recomputed: undefined },
      { field: 'logs', level: 'proven', claimed: [1, 2], recomputed: undefined },
      { field: 'logs.*.data', level: 'proven', claimed: undefined, recomputed: undefined },
      { field: 'logs.*.blockTimestamp', level: 'unverifiable', claimed: undefined, recomputed: undefined },
    ] as const
    const text = textOf({ verdict: 'proven', reason: 'by this test', rows }, stream)
    expect(stripVTControlCharacters(text).split('\n')).toEqual([
      'field                  standing      claimed                                     recomputed',
      `hash                   proven        0x${'ab'.repeat(15)}a…abababab  0x${'ab'.repeat(15)}a…abababab`,
      'extra                  unverifiable  a\\u001b[2Jb c                               -',
      'logs                   proven        2 in a list                                 -',
      'logs.*.blockTimestamp  unverifiable  -                                           -',
      '',
      'proven: by this test',
      '',
    ])
  })
})
