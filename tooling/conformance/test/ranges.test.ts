import { describe, expect, it } from 'vitest'
import { busy, countLogs, head, printLogs, quiet } from '../ranges/chain.ts'
import { startNode } from '../ranges/node.ts'
import { failingBeyond, providers, type Reaction, wordedProviders } from '../ranges/providers.ts'
import { runAlone, runOnly, runSplit } from '../ranges/scenarios.ts'
import { ask } from './support/http.ts'

// All providers, and all behind one network, are run by a command: `pnpm --filter @wayleave/conformance ranges`.

const named = (name: string) => providers.find((provider) => provider.name === name)!

describe('the limits of a provider are learnt', () => {
  it.each([
    'QuickNode free, HTTP 413',
    'erigon',
    'dRPC free, a wrong number',
    'closes the connection',
    'claims limit 0',
  ])('by at most three refusals of a kind, and nobody gets a wrong answer: %s', { timeout: 60_000 }, async (name) => {
    const row = await runAlone(named(name), 40, 7)
    expect(row).toMatchObject({ calls: 40, wrong: 0, failed: 0, refused: 0, inVain: 0 })
    // One that claims to allow nothing is left alone after the rig's first call, which counts for no row.
    if (name !== 'claims limit 0') expect(row.refusals).toBeGreaterThan(0)
    expect(row.mostOfAKind).toBeLessThanOrEqual(3)
  })

  it('a range that nobody allows is answered whole, from parts', { timeout: 60_000 }, async () => {
    const { outcomes, asked } = await runSplit(2, 3)
    expect(outcomes).toEqual({ calls: 2, wrong: 0, failed: 0, refused: 0 })
    expect(asked.reduce((sum, each) => sum + each.asked, 0)).toBeGreaterThan(6)
  })
})

describe('a range that the only upstream does not allow', () => {
  it('of 900 blocks comes whole in parts, in the words of each service: 50 of 50', { timeout: 120_000 }, async () => {
    const odd: string[] = []
    for (const provider of wordedProviders) {
      const { wrong, failed, refused } = await runOnly(provider, [900], 'eth_getLogs')
      if (wrong + failed + refused > 0) odd.push(provider.name)
    }
    expect(odd).toEqual([])
    expect(wordedProviders).toHaveLength(50)
  })

  it.each<[what: string, reaction: Reaction]>([
    ['hangs', 'hang'],
    ['is answered by a proxy with 502', 'http 502'],
    ['is answered by a proxy with 504', 'http 504'],
    ['has its connection closed', 'cut'],
    ['fails inside', { code: -32_603, message: 'Internal error' }],
  ])('comes whole in parts where it %s, of 100, 900 and 3,000 blocks', { timeout: 120_000 }, async (_, reaction) => {
    for (const blocks of [100, 900, 3_000]) {
      const outcome = await runOnly(failingBeyond(50, reaction), [blocks], 'eth_getLogs', '12s')
      expect({ blocks, ...outcome }).toMatchObject({ blocks, calls: 1, wrong: 0, failed: 0, refused: 0 })
    }
  })

  it.each(['trace_filter', 'arbtrace_filter'])(
    'is split for %s as for eth_getLogs',
    { timeout: 60_000 },
    async (method) => {
      for (const name of ['erigon', 'Infura, proposes', 'HTTP 502']) {
        const outcome = await runOnly(named(name), [900, 3_000, 12_000], method)
        expect({ name, ...outcome }).toMatchObject({ name, calls: 3, wrong: 0, failed: 0, refused: 0 })
      }
    },
  )

  it('costs an outage few calls more', { timeout: 60_000 }, async () => {
    const down = failingBeyond(0, 'http 502')
    const outcome = await runOnly(
      down,
      Array.from({ length: 100 }, () => 900),
      'eth_getLogs',
    )
    expect(outcome).toMatchObject({ calls: 100, failed: 100 })
    expect(outcome.asked).toBeLessThan(200)
  })
})

describe('the rig', () => {
  it('counts the logs that it prints', () => {
    for (const address of [busy, quiet, undefined]) {
      const search = { from: 998, to: 3_001, address }
      expect(JSON.parse(printLogs(search))).toHaveLength(countLogs(search))
    }
    expect(countLogs({ from: head, to: head, address: undefined })).toBe(3)
  })

  it('notices calls in vain', async () => {
    await using node = await startNode(named('erigon'))
    const params = [{ fromBlock: '0x0', toBlock: '0xffff', address: quiet }]
    for (let i = 0; i < 2; i++) await expect(ask(node.url, 'eth_getLogs', params)).rejects.toThrow('narrow your filter')
    expect(node.asked.map(({ isInVain }) => isInVain)).toEqual([false, true])
  })
})
