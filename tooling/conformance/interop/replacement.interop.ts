import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ReplacementFees, replacementFees } from '@wayleave/gas-fees'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePorts } from '../two-nodes/nodes/free-ports.ts'

const geth = process.env['GETH']
const gwei = 1_000_000_000n

/** Fees in all sizes, up to where the account of a development chain can no longer pay. */
const fees = [
  [gwei, 1n],
  [gwei, 9n],
  [gwei + 1n, 10n],
  [2n * gwei, 11n],
  [30n * gwei, gwei],
  [123_456_789_123n, 1_500_000_001n],
  [500n * gwei, 500n * gwei],
] as const

/** The block of a development chain comes so late that all transactions wait. */
const periodSeconds = 1_000_000

let url = ''
let account = ''
let nonce = 0
let stop = (): Promise<void> => Promise.resolve()

async function ask(method: string, ...params: readonly unknown[]): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result, error } = (await response.json()) as { result: unknown; error?: { message: string } }
  if (error !== undefined) throw new Error(error.message)
  return typeof result === 'string' ? result : JSON.stringify(result)
}

async function startGeth(program: string): Promise<void> {
  const [port] = await freePorts(1)
  url = `http://127.0.0.1:${port}`
  const args = ['--dev', '--dev.period', String(periodSeconds), '--http', '--http.port', String(port)]
  const offline = ['--ipcdisable', '--nodiscover', '--maxpeers', '0', '--port', '0', '--verbosity', '1']
  const child = spawn(program, [...args, '--txpool.pricelimit', '1', '--rpc.txfeecap', '0', ...offline], {
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  stop = async () => {
    child.kill('SIGTERM')
    await exited
  }
  for (let tries = 0; ; tries += 1) {
    try {
      account = (JSON.parse(await ask('eth_accounts')) as string[])[0]!
      return
    } catch (thrown) {
      if (tries === 300) throw thrown
      await sleep(100)
    }
  }
}

/** Writes a transaction as geth takes it. */
function written(transaction: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const quantities = Object.entries(transaction).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? `0x${value.toString(16)}` : value,
  ])
  return { from: account, to: account, value: '0x1', gas: '0x5208', ...Object.fromEntries(quantities) }
}

const send = (transaction: Readonly<Record<string, unknown>>): Promise<string> =>
  ask('eth_sendTransaction', written({ nonce: BigInt(nonce), ...transaction }))

async function sendBlob(transaction: Readonly<Record<string, unknown>>): Promise<string> {
  const blobs = [`0x${'00'.repeat(131_072)}`]
  const call = { nonce: BigInt(nonce), blobs, ...transaction }
  const { raw } = JSON.parse(await ask('eth_signTransaction', written(call))) as { raw: string }
  return ask('eth_sendRawTransaction', raw)
}

/** Lists the same fees with each of them lowered by 1 wei, where that is still a transaction. */
function lowered(next: ReplacementFees): readonly Readonly<Record<string, bigint>>[] {
  const all = next as unknown as Readonly<Record<string, bigint>>
  return Object.keys(all)
    .map((name) => ({ ...all, [name]: all[name]! - 1n }))
    .filter(({ maxFeePerGas = 0n, maxPriorityFeePerGas = 0n }) => maxFeePerGas >= maxPriorityFeePerGas)
}

describe.skipIf(geth === undefined)('a real geth', () => {
  beforeAll(() => startGeth(geth!))
  afterAll(() => stop())

  it.each(fees)('takes the replacement of %d and %d wei, and refuses 1 wei less of each fee', async (max, tip) => {
    const old = { maxFeePerGas: max, maxPriorityFeePerGas: tip }
    const first = await send(old)
    const next = replacementFees(old)
    for (const less of lowered(next)) await expect(send(less)).rejects.toThrow('replacement transaction underpriced')
    const second = await send({ ...next })
    expect(await ask('eth_getTransactionByHash', first)).toBe('null')
    expect(await ask('eth_getTransactionByHash', second)).toContain(second)
    nonce += 1
  })

  it.each(fees)('takes the replacement of a gas price of %d wei, and refuses 1 wei less', async (price) => {
    await send({ gasPrice: price })
    const next = replacementFees({ gasPrice: price })
    for (const less of lowered(next)) await expect(send(less)).rejects.toThrow('replacement transaction underpriced')
    await send({ ...next })
    nonce += 1
  })
})

describe.skipIf(geth === undefined)('the blob pool of a real geth', () => {
  beforeAll(async () => {
    await startGeth(geth!)
    nonce = 0
  })
  afterAll(() => stop())

  it.each(fees)('takes the double of %d and %d wei, and refuses 1 wei less of each fee', async (max, tip) => {
    const old = { maxFeePerGas: max, maxPriorityFeePerGas: tip, maxFeePerBlobGas: 3n * tip }
    await sendBlob(old)
    const next = replacementFees(old)
    for (const less of lowered(next))
      await expect(sendBlob(less)).rejects.toThrow('replacement transaction underpriced')
    await sendBlob({ ...next })
    nonce += 1
  })
})
