import { expect, it } from 'vitest'
import { testChain } from './chain-node.ts'
import { configOf, networkOf, startNodes, startWith } from './reload/support.ts'
import { send } from './support.ts'

it('a cordon ends with the process: after a restart the configuration says which upstreams are in use', async () => {
  const nodes = await startNodes(testChain(500), 2)
  const config = configOf({ mainnet: networkOf(nodes) })
  const first = await startWith(config)
  const path = `/upstreams/cordon?network=mainnet&upstream=${encodeURIComponent(nodes[0]!.url)}&why=an+upgrade`
  expect((await send(first.admin, path, { method: 'POST' })).status).toBe(200)
  const status = async ({ admin }: typeof first) => (await send(admin, '/status', { method: 'GET' })).body
  expect(await status(first)).toContain('"cordoned"')
  await first.close()
  expect(await status(await startWith(config))).not.toContain('"cordoned"')
})
