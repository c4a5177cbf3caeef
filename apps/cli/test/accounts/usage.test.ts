import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runWayleave, within } from '../helpers.ts'
import { configuredKey, type RunningGateway, startGateway } from './helpers.ts'

// Starts processes, which take seconds where the machine is busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let gateway: RunningGateway
const usage = (...args: readonly string[]) => runWayleave(['usage', ...args], gateway.env)

beforeAll(async () => {
  gateway = await startGateway()
  for (const method of ['eth_chainId', 'eth_chainId', 'eth_blockNumber', 'eth_gasPrice']) {
    await gateway.call(configuredKey, method)
  }
  // The first test tells if they are not counted.
  await within(20_000, async () => (await usage('--by', 'none', '--json')).stdout.includes('"items":[{"calls":4,'))
})
afterAll(() => gateway.stop())

describe('wayleave usage', () => {
  it('prints lines with tabs in a pipe, by method of the last 24 hours', async () => {
    const { stdout, stderr } = await gateway.run(['usage'])
    expect(stderr).toBe('')
    expect(stdout.split('\n').toSorted()).toEqual([
      '',
      expect.stringMatching(/^eth_blockNumber\t1\t\d+$/),
      expect.stringMatching(/^eth_chainId\t2\t\d+$/),
      expect.stringMatching(/^eth_gasPrice\t1\t\d+$/),
    ])
  })

  it('sums by each member, in the order that is asked for', async () => {
    const { stdout } = await usage('--by', 'network,project,status,key', '--since', '1h')
    expect(stdout).toMatch(/^devnet\tdemo\t\w+\t[0-9a-f]{8}\t4\t\d+\n$/)
    const none = await usage('--method', 'eth_chainId', '--by', 'none')
    expect(none.stdout).toMatch(/^2\t\d+\n$/)
    expect((await usage('--project', 'another')).stdout).toBe('')
  })

  it('sums by minute, hour and day', async () => {
    const starts = { minute: /T\d\d:\d\d:00Z/, hour: /T\d\d:00:00Z/, day: /T00:00:00Z/ }
    for (const [period, start] of Object.entries(starts)) {
      const { stdout } = await usage('--by', `${period},project`)
      for (const line of stdout.trim().split('\n'))
        expect(line.split('\t').slice(0, 2)).toEqual([expect.stringMatching(start), 'demo'])
    }
    expect((await usage('--by', 'hour,day')).stderr).toContain('--by: expected one of minute, hour and day')
  })

  it('prints CSV with a header, and refuses two forms at once', async () => {
    const { stdout } = await usage('--csv', '--by', 'project,method', '--method', 'eth_gasPrice')
    expect(stdout).toMatch(/^project,method,calls,credits\r\ndemo,eth_gasPrice,1,\d+\r\n$/)
    expect((await usage('--csv', '--json')).code).toBe(2)
  })

  it('prints the question and all sums as JSON', async () => {
    const { stdout } = await usage('--json', '--by', 'project', '--since', '2026-01-31')
    expect(JSON.parse(stdout)).toEqual({
      period: 'day',
      from: Date.parse('2026-01-31'),
      to: expect.any(Number),
      items: [{ project: 'demo', calls: 4, credits: expect.any(Number) }],
      complete: true,
    })
  })

  it('refuses times that are none, and a beginning after the end', async () => {
    for (const since of ['yesterday', '24', '2026-02-31', '2026-01-31T12:00', '2999-01-01', '']) {
      const { code, stderr } = await usage('--since', since)
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^wayleave usage: --since: expected a (?:time|moment)/)])
    }
    expect((await usage('--since', '2h', '--until', '3h')).code).toBe(2)
  })
})
