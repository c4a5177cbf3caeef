import { describe, expect, it } from 'vitest'
import { busy, countLogs, head, printLogs, quiet } from '../ranges/chain.ts'
import { startNode } from '../ranges/node.ts'
import { providers } from '../ranges/providers.ts'
import { runAlone, runSplit } from '../ranges/scenarios.ts'
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
