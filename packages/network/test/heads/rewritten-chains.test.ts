import { createLog } from '@wayleave/telemetry'
import { expect, it } from 'vitest'
import { createRewrittenChains } from '../../src/heads/rewritten-chains.ts'

/** Rewritten chains, and the lines that the log was told. */
function scene() {
  const lines: string[] = []
  const write = (line: string): void => {
    const { network, msg } = JSON.parse(line) as Record<string, string>
    lines.push(`${network}: ${msg}`)
  }
  const replaced: string[] = []
  const log = createLog({ level: 'warn', destination: { write } })
  const chainsReplaced = (network: string) => ({ add: () => void replaced.push(network) })
  return { lines, replaced, chains: createRewrittenChains(log, { chainsReplaced }) }
}

it('a chain that nodes replace is told of, and counted each time; one that a caller resets not at all', () => {
  const { lines, chains, replaced } = scene()
  const chain = chains.of('mainnet', 'mainnet:1')
  const final = { number: 1, hash: '0x1' }
  Object.assign(chain, { final, epoch: '0x1' })
  expect(chains.of('mainnet', 'mainnet:1')).toMatchObject({ isRewritten: false, final, epoch: '0x1' })
  chain.note('nodes')
  chains.of('mainnet', 'mainnet:1').note('nodes')
  expect(chain).toMatchObject({ isRewritten: false, final: undefined, epoch: undefined })
  chains.of('dev', 'dev:31337').note('command')
  expect(chains.of('dev', 'dev:31337').isRewritten).toBe(true)
  expect(chains.of('mainnet', 'mainnet:2').isRewritten).toBe(false)
  expect(lines).toEqual(['mainnet: final blocks of the chain were replaced: its answers are forgotten'])
  expect(replaced).toEqual(['mainnet', 'mainnet'])
})

it('a thousand chains are remembered', () => {
  const { chains } = scene()
  for (let i = 0; i <= 1_000; i++) chains.of('dev', `dev:${i}`).note('command')
  const isKnown = (i: number): boolean => chains.of('dev', `dev:${i}`).isRewritten
  expect([0, 1, 1_000].map(isKnown)).toEqual([false, true, true])
})
