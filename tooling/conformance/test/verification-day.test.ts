import { type AnvilProcess, startAnvil } from '@wayleave/dev-node'
import type { RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { transact } from './support/chain.ts'
import { dayOfEthers } from './support/day/ethers.ts'
import { dayOfViem } from './support/day/viem.ts'
import { httpUrl, startGatewayBefore, wsUrl } from './support/gateway.ts'
import { post } from './support/http.ts'
import type { Peer } from './support/peer.ts'
import { startRelay } from './support/relay.ts'

let anvil: AnvilProcess
let relays: readonly Peer[]
let gateway: RunningGateway

beforeAll(async () => {
  anvil = await startAnvil({ name: 'verification-day', chainId: 31_337 })
  await transact(anvil.httpUrl, { to: `0x${'12'.repeat(20)}`, value: '0x1' })
  relays = await Promise.all([startRelay(anvil.httpUrl), startRelay(anvil.httpUrl)])
  // The relays carry no subscriptions; other calls are for the node beside them only where both fail.
  const upstreams = [
    ...relays.map(({ httpUrl: url }) => url),
    { url: anvil.wsUrl, verify: 'off', tier: 'fallback' } as const,
  ]
  gateway = await startGatewayBefore([], {
    networks: { net: { kind: 'evm', chainId: 31_337, upstreams, verify: 'proven' } },
  })
}, 120_000)

afterAll(async () => {
  await gateway.close()
  for (const relay of relays) await relay[Symbol.asyncDispose]()
  await anvil.close()
})

/** How many answers had each outcome. */
async function outcomes(): Promise<Readonly<Record<string, number>>> {
  const { text } = await post(`${gateway.admin}/metrics`, '', { method: 'GET' })
  const counts: Record<string, number> = {}
  for (const [, outcome, count] of text.matchAll(/^wayleave_verifications_total\{.*outcome="(.*?)"\} (\d+)$/gm)) {
    counts[outcome!] = (counts[outcome!] ?? 0) + Number(count)
  }
  return counts
}

const cases = [
  { client: 'viem', script: dayOfViem, transport: 'http' },
  { client: 'viem', script: dayOfViem, transport: 'ws' },
  { client: 'ethers v6', script: dayOfEthers, transport: 'http' },
] as const

describe.each(cases)('a day of $client over $transport through a gateway that proves', ({ script, transport }) => {
  it('goes unharmed: nothing true is refused, and most is proven', { timeout: 120_000 }, async () => {
    const before = await outcomes()
    const day = await script(transport === 'http' ? httpUrl(gateway) : wsUrl(gateway))
    const text = (part: string): string =>
      JSON.stringify(day[part], (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
    expect(day['receipts']).toHaveLength(3)
    expect(text('reverts')).toContain('nothing to give')
    expect(text('logs')).toContain('07')
    expect(day['pushes']).toHaveLength(transport === 'ws' ? 1 : 0)
    const after = await outcomes()
    expect(after['refused']).toBeUndefined()
    expect(after['proven']! - (before['proven'] ?? 0)).toBeGreaterThan(12)
  })
})
