import { expect, it } from 'vitest'
import { createLog } from '../../src/telemetry/log.ts'
import { createRewrittenChains } from '../../src/network/rewritten-chains.ts'

/** Rewritten chains, and the lines that the log was told. */
function scene(isShared = false) {
  const lines: string[] = []
  const write = (line: string): void => {
    const { network, msg } = JSON.parse(line) as Record<string, string>
    lines.push(`${network}: ${msg}`)
  }
  return { lines, chains: createRewrittenChains(createLog({ level: 'warn', destination: { write } }), isShared) }
}

it('a chain that nodes replace is told of once, and one that a caller resets not at all', () => {
  for (const [isShared, advice] of [
    [false, ''],
    [true, '; cache.redis is not used for it until a restart: empty it before'],
  ] as const) {
    const { lines, chains } = scene(isShared)
    const chain = chains.of('mainnet', 'mainnet:1')
    expect(chain.isRewritten).toBe(false)
    chain.note('nodes')
    chains.of('mainnet', 'mainnet:1').note('nodes')
    chains.of('dev', 'dev:31337').note('command')
    expect(chain.isRewritten).toBe(true)
    expect(chains.of('mainnet', 'mainnet:2').isRewritten).toBe(false)
    expect(chains.of('dev', 'dev:31337').isRewritten).toBe(true)
    expect(lines).toEqual([`mainnet: final blocks of the chain were replaced: its answers are forgotten${advice}`])
  }
})

it('a thousand chains are remembered', () => {
  const { chains } = scene()
  for (let i = 0; i <= 1_000; i++) chains.of('dev', `dev:${i}`).note('command')
  const isKnown = (i: number): boolean => chains.of('dev', `dev:${i}`).isRewritten
  expect([0, 1, 1_000].map(isKnown)).toEqual([false, true, true])
})
