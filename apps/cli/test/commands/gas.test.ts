import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Dev, type Run, runWayleave, serveHttp, serveNode, startDev, wayleave } from '../helpers.ts'

describe('wayleave gas', () => {
  let dev: Dev

  beforeAll(async () => {
    dev = await startDev()
  })

  afterAll(() => dev.stop())

  const gas = (url: string, ...args: string[]): Promise<Run> => runWayleave(['gas', ...args], { WAYLEAVE_RPC_URL: url })

  /** A block more. */
  async function mine(): Promise<void> {
    const from = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params: [{ from, to: from }] }
    await fetch(dev.url(), { method: 'POST', body: JSON.stringify(body) })
  }

  it('prints the leaves of a suggestion a line each, or of one level, or as JSON', async () => {
    const { code, stdout, stderr } = await gas(dev.url())
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^low\.suggestedMaxPriorityFeePerGas\t[\d.]+\nlow\.suggestedMaxFeePerGas\t[\d.]+\n/)
    expect(stdout).toMatch(/^estimatedBaseFee\t[\d.]+$/m)
    const medium = (await gas(dev.url(), '--level', 'medium')).stdout
    expect(medium).toContain('medium.suggestedMaxFeePerGas\t')
    expect(medium).not.toMatch(/^(?:low|high)\./m)
    const json = await gas(dev.url(), '--network', 'rollup-dev', '--level', 'high', '--json')
    expect(json.stdout).toMatch(/^\{.*\}\n$/)
    expect(JSON.parse(json.stdout)).toMatchObject({ high: { minWaitTimeEstimate: expect.any(Number) as number } })
    expect(JSON.parse(json.stdout)).not.toHaveProperty('low')
  })

  it.each([
    ['a line', [], /^baseFee=[\d.]+ trend=\w+ congestion=[\d.]+ low=[\d.]+\/[\d.]+ medium=\S+ high=\S+$/],
    ['an object', ['--json'], /^\{"low":\{.*"baseFeeTrend":"\w+"(?:,"wayleave":\{.*\})?\}$/],
  ])('--watch prints %s for each block', async (_what, flags, form) => {
    const { exited, stdout } = wayleave(['gas', '--watch', '--count', '3', ...flags], { WAYLEAVE_RPC_URL: dev.url() })
    for (let lines = 1; lines <= 2; lines++) {
      while (stdout().split('\n').length <= lines) await new Promise((resolve) => setTimeout(resolve, 10))
      await mine()
    }
    expect(await exited).toBe(0)
    const lines = stdout().trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(line).toMatch(form)
  })

  it('--watch ends on Ctrl-C, with code 0', async () => {
    const { child, exited, stdout } = wayleave(['gas', '--watch'], { WAYLEAVE_RPC_URL: dev.url() })
    while (!stdout().includes('\n')) await new Promise((resolve) => setTimeout(resolve, 10))
    child.kill('SIGINT')
    expect(await exited).toBe(0)
  })

  it('computes the fees of a node that has no gas API', async () => {
    const { url } = await serveNode(({ method, params }) => {
      const [count = '', , percentiles] = params as [string?, string?, (readonly number[])?]
      const block = {
        number: count.startsWith('0x') ? count : '0x5',
        hash: `0x${'5'.repeat(64)}`,
        parentHash: `0x${'4'.repeat(64)}`,
        timestamp: '0x68000000',
      }
      if (method === 'eth_getBlockByNumber') return { ...block, baseFeePerGas: '0x3b9aca00' }
      if (method !== 'eth_feeHistory') return { code: -32601, message: 'the method does not exist' }
      const blocks = Math.min(6, Number(count))
      const gasUsedRatio = Array<number>(blocks).fill(0.5)
      const baseFeePerGas = Array<string>(blocks + 1).fill('0x3b9aca00')
      const reward = gasUsedRatio.map(() => percentiles?.map(() => '0x5f5e100'))
      return { oldestBlock: `0x${6 - blocks}`, baseFeePerGas, gasUsedRatio, reward }
    })
    const { code, stdout, stderr } = await gas(url)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('estimatedBaseFee\t1\n')
  })

  it('says what is wrong: the key, the chain, the host', async () => {
    const wrongKey = await gas(dev.url().replace(/v3\/.*/, 'v3/not-a-key'))
    expect({ code: wrongKey.code, stdout: wrongKey.stdout }).toEqual({ code: 1, stdout: '' })
    expect(wrongKey.stderr).toContain('The key or its secret was refused: check the URL.')
    expect(wrongKey.stderr).not.toContain('not-a-key')
    const block = { number: '0x1', hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'0'.repeat(64)}`, timestamp: '0x1' }
    const { url } = await serveNode(({ method }) =>
      method === 'eth_getBlockByNumber' ? block : { code: -32601, message: 'the method does not exist' },
    )
    const old = await gas(url)
    expect(old.code).toBe(1)
    expect(old.stderr).toContain('Only EVM networks with EIP-1559 have these fees')
    const { url: dead, server } = await serveHttp(() => {})
    await new Promise((resolve) => server.close(resolve))
    const flags = [[], ['--json'], ['--watch']]
    const targets = [dead, `${dead}/v3/k`]
    const runs = targets.flatMap((target) => flags.map((further) => gas(target, ...further)))
    for (const [i, { code, stdout, stderr }] of (await Promise.all(runs)).entries()) {
      expect(code).toBe(1)
      if (i % 3 !== 1)
        expect(stderr).toContain(`nothing listens at ${new URL(dead).origin}: start a gateway with wayleave dev`)
      else
        expect(JSON.parse(stdout)).toEqual({
          error: { code: 'connect', message: expect.stringContaining('nothing listens at') as string },
        })
    }
  }, 120_000)

  it('prints the whole cost of a call, or of a signed transaction', async () => {
    const to = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
    const plain = await gas(dev.url(), '--to', to, '--value', '1ether')
    expect({ code: plain.code, stderr: plain.stderr }).toEqual({ code: 0, stderr: '' })
    expect(plain.stdout).toMatch(/^gasLimit\t21000\ndataFee\t0\noperatorFee\t0\nlow\.maxFeePerGas\t\d+\n/)
    expect(plain.stdout).toMatch(/^medium\.totalEth\t0\.\d+$/m)
    const json = await gas(dev.url(), '--to', to, '--gas', '50000', '--level', 'high', '--json')
    const reported = JSON.parse(json.stdout) as { readonly high: Readonly<Record<string, string>> }
    expect(reported).toMatchObject({ gasLimit: '50000', dataFee: '0' })
    expect(reported).not.toHaveProperty('low')
    expect(reported.high['total']).toBe(reported.high['executionFee'])
    // The example of EIP-155, which is for Ethereum.
    const signed =
      '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025' +
      'a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276' +
      'a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83'
    const other = await gas(dev.url(), '--signed', signed)
    expect(other.stderr).toContain('got one that is signed for the chain 1')
    // By its last byte but the signature's two numbers, it is for any chain.
    const own = await gas(dev.url(), '--signed', signed.replace('8025a028', '801ba028'), '--json')
    expect(JSON.parse(own.stdout)).toMatchObject({
      gasLimit: '21000',
      signed: { maxFeePerGas: '20000000000', total: '420000000000000', totalEth: '0.00042' },
    })
  })

  it('says why it has no total: a call that reverts, or what is no transaction', async () => {
    const reverted = await gas(dev.url(), '--data', '0x5f5ffd')
    expect({ code: reverted.code, stdout: reverted.stdout }).toEqual({ code: 1, stdout: '' })
    expect(reverted.stderr).toContain('reverted: without a reason')
    const wrong = await gas(dev.url(), '--signed', '0x02c0')
    expect({ code: wrong.code, stdout: wrong.stdout }).toEqual({ code: 1, stdout: '' })
    expect(wrong.stderr).toContain('expected 12 fields of a signed transaction, got 0')
  })

  it.each([
    [['--level', 'hihg'], '--level: expected low, medium or high, got "hihg" (did you mean "high"?)'],
    [['--count', '2'], '--count: belongs to --watch'],
    [['--watch', '--count', '0'], '--count: expected a whole number above 0, got "0"'],
    [['--gas', '1', '--watch'], '--watch: a total is told once'],
    [['--to', '0x', '--signed', '0x'], '--to: a signed transaction has its own'],
    [['--value', 'much'], '--value: expected wei as a number'],
    [['low'], 'unexpected argument "low"'],
  ])('refuses %j with exit code 2', async (args, words) => {
    const { code, stdout, stderr } = await gas(dev.url(), ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`wayleave gas: ${words}`)
  })
})
