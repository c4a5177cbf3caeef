import { describe, expect, it } from 'vitest'
import { startChain } from '../consensus/chain.ts'
import { liars } from '../consensus/liars.ts'
import { broken, printTable } from '../consensus/report.ts'
import { isFalse, type Outcome, runLiar } from '../consensus/run-liar.ts'

// Ten thousand calls of each liar are a command: `pnpm --filter @wayleave/conformance consensus`.

describe('with two honest upstreams of three', () => {
  it.each(liars.map((liar) => ({ ...liar, liar })))(
    'no lie is served: $name',
    { timeout: 60_000 },
    async ({ liar }) => {
      const outcome = await runLiar(liar, 3, 60)
      expect(broken([outcome])).toEqual([])
      expect(outcome.cost).toBeGreaterThan(2)
    },
  )
})

describe('the rig', () => {
  it('finds lies where one upstream is asked', { timeout: 60_000 }, async () => {
    const outcome = await runLiar(
      liars.find(({ name }) => name === 'always')!,
      1,
      60,
    )
    expect(outcome.served).toBeGreaterThan(0)
    expect(printTable([outcome], '2026-01-01')).toContain('| always | 1, no consensus | 60 |')
  })

  it('tells a false answer from a true one', () => {
    const chain = startChain(() => 0)
    const question = { method: 'eth_call', params: [{ to: '0x1' }, 'latest'] }
    const truth = chain.truth('eth_call', question.params, chain.height())
    expect(isFalse(chain, question, truth, chain.height())).toBe(false)
    expect(isFalse(chain, question, String(truth).replace(/.$/, 'x'), chain.height())).toBe(true)
    const later = chain.truth('eth_call', question.params, chain.height() + 1)
    expect(isFalse(chain, question, later, chain.height())).toBe(true)
  })

  it('has a bar for lies, errors, and liars that do not lie', () => {
    const outcome: Outcome = {
      liar: 'always',
      atOnce: 3,
      calls: 9,
      served: 1,
      errors: 2,
      reported: 0,
      cost: 3,
      p50Ms: 1,
      p95Ms: 1,
    }
    expect(broken([outcome])).toHaveLength(3)
    expect(broken([{ ...outcome, atOnce: 1, served: 0 }])).toHaveLength(1)
  })
})
