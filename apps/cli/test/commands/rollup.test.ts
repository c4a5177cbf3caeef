import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Dev, type Run, runWayleave, serveNode, startDev } from '../helpers.ts'

describe('wayleave rollup', () => {
  let dev: Dev

  beforeAll(async () => {
    dev = await startDev()
  })

  afterAll(() => dev.stop())

  const rollup = (url: string, ...args: string[]): Promise<Run> =>
    runWayleave(['rollup', ...args], { WAYLEAVE_RPC_URL: url })

  it('get-info tells mode and heads, a line each, or as JSON', async () => {
    const { code, stdout, stderr } = await rollup(dev.url('rollup-dev'), 'get-info')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^mode\tsequencer\nsyncing\tfalse\nethContext\.blockNumber\t\d+\n/)
    const json = await rollup(dev.url(), 'get-info', '--network', 'rollup-dev', '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({ mode: 'sequencer', rollupContext: { queueIndex: 0 } })
  })

  it('get-info takes the array of blocks, too', async () => {
    const hash = `0x${'ab'.repeat(32)}`
    const { url } = await serveNode(() => [{ number: '0x1', hash }])
    const { code, stdout, stderr } = await rollup(url, 'getInfo')
    expect({ code, stdout }).toEqual({ code: 0, stdout: `[0].number\t0x1\n[0].hash\t${hash}\n` })
    expect(stderr).toMatch(/^note: rollup_getInfo result\[0\]\.\w+: expected/)
  })

  it('sync-status prints what an op-node answers', async () => {
    const ref = {
      hash: `0x${'ab'.repeat(32)}`,
      number: 7,
      parentHash: `0x${'cd'.repeat(32)}`,
      timestamp: 1_700_000_000,
    }
    const { url } = await serveNode(({ method }) => (method === 'optimism_syncStatus' ? { current_l1: ref } : null))
    const { code, stdout } = await rollup(url, 'sync-status')
    expect(code).toBe(0)
    expect(stdout).toContain('current_l1.number\t7\n')
    expect(stdout).toContain('current_l1.timestamp\t1700000000\n')
  })

  it('says what a node without the method answers', async () => {
    const { code, stdout, stderr } = await rollup(dev.url('dev'), 'get-info')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^rollup_getInfo: .*\(-32601\)\nhint: rollup_getInfo is a method of rollups: --network names one\n$/,
    )
  })

  it.each([
    [[], 'expected a METHOD: get-info or sync-status'],
    [['getinfo2'], 'there is no method "getinfo2" (did you mean "get-info"?)'],
    [['get-info', 'x'], 'too many arguments: expected none'],
  ])('refuses %j with exit code 2', async (args, words) => {
    const { code, stdout, stderr } = await rollup(dev.url(), ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`wayleave rollup: ${words}`)
  })
})
