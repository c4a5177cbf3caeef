import { type DevNode, startDevNode } from '@wayleave/dev-node'
import type { RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dayOfCast } from './support/day/cast.ts'
import type { Day, DayScript } from './support/day/day.ts'
import { dayOfEthers } from './support/day/ethers.ts'
import { dayOfViem } from './support/day/viem.ts'
import { dayOfWeb3 } from './support/day/web3.ts'
import { httpUrl, startDevGateway, wsUrl } from './support/gateway.ts'
import { ask } from './support/http.ts'

let node: DevNode
let gateway: RunningGateway

beforeAll(async () => {
  node = await startDevNode()
  gateway = await startDevGateway(node)
  // Time as the chain counts it: every run of a day finds the same.
  await ask(node.networks.dev.httpUrl, 'anvil_setBlockTimestampInterval', [12])
  await ask(node.networks.dev.httpUrl, 'evm_mine')
})

afterAll(async () => {
  await gateway.close()
  await node.close()
})

/** Runs a day from the chain's first blocks on, and forgets what it did. */
async function spend(script: DayScript, url: string): Promise<Day> {
  const chain = node.networks.dev.httpUrl
  const snapshot = await ask(chain, 'evm_snapshot')
  // anvil keeps the next base fee over a revert.
  await ask(chain, 'anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00'])
  await ask(chain, 'evm_mine')
  const day = await script(url)
  const named = await nameHashes(day, chain)
  expect(await ask(chain, 'evm_revert', [snapshot])).toBe(true)
  return named
}

/** anvil's blocks hold a random number, and so their hashes are others each time: each becomes the name of its block. */
async function nameHashes(day: Day, chain: string): Promise<Day> {
  let text = JSON.stringify(day, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
  const last = Number(await ask(chain, 'eth_blockNumber'))
  for (let number = 0; number <= last; number++) {
    const block = await ask(chain, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
    for (const member of ['hash', 'mixHash'] as const) {
      const hash = (block as Record<string, string>)[member]!
      if (!/^0x0*$/.test(hash)) text = text.replaceAll(hash, `${member} of block ${number}`)
    }
  }
  return JSON.parse(text) as Day
}

const scripts = { viem: dayOfViem, 'ethers v6': dayOfEthers, 'web3.js': dayOfWeb3, cast: dayOfCast }

const cases = Object.entries(scripts).flatMap(([client, script]) =>
  (['http', 'ws'] as const).map((transport) => ({ client, script, transport })),
)

describe.each(cases)('a day of $client over $transport', ({ client, script, transport }) => {
  it('goes as at the node, by either form of the path', { timeout: 120_000 }, async () => {
    const { httpUrl: http, wsUrl: ws } = node.networks.dev
    const urlOf = transport === 'http' ? httpUrl : wsUrl
    const direct = await spend(script, transport === 'http' ? http : ws)
    for (const network of [undefined, 'dev']) {
      const day = await spend(script, urlOf(gateway, network))
      for (const [part, seen] of Object.entries(direct)) expect(day[part], `${part}, ${network}`).toEqual(seen)
    }
    expectFull(direct, client, transport)
  })
})

/** That the day was one: it saw what it did. */
function expectFull(day: Day, client: string, transport: string): void {
  const text = (part: string): string => JSON.stringify(day[part])
  expect(text('reverts')).toContain('nothing to give')
  expect(text('logs')).toContain('07')
  expect(text('receipts').match(/hash of block/g)!.length).toBeGreaterThanOrEqual(3)
  if (client !== 'cast') expect(day['pushes']).toHaveLength(transport === 'ws' ? 1 : 0)
}
