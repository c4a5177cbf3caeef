import { execFile } from 'node:child_process'
import * as nodeModule from 'node:module'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** Starts and ends a gateway in a process of its own, and prints how many modules of starknet-types that loaded. */
const script = `
import { registerHooks } from 'node:module'
let loaded = 0
registerHooks({ load: (url, context, next) => (url.includes('/starknet-types/') && loaded++, next(url, context)) })
const { startGateway } = await import('@wayleave/gateway')
const networks = { a: JSON.parse(process.argv[1]) }
await using gateway = await startGateway({ networks, listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' } })
console.log(loaded)
`

const loadedFor = async (network: object): Promise<number> => {
  const args = ['--conditions=@wayleave/source', '--input-type=module', '-e', script, JSON.stringify(network)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
  return Number(stdout)
}

it.skipIf(!('registerHooks' in nodeModule))('only a network of Starknet loads the tables of Starknet', async () => {
  const upstreams = ['http://127.0.0.1:1']
  expect(await loadedFor({ kind: 'evm', chainId: 1, upstreams })).toBe(0)
  expect(await loadedFor({ kind: 'starknet', chainId: 'SN_MAIN', upstreams })).toBeGreaterThan(0)
})
