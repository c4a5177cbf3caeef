import { cast, type CastResult } from '../cast.ts'
import { alice, bob } from '../chain.ts'
import { type DayScript, initCode, missingHash } from './day.ts'

const [a, b] = [alice.address, bob.address]
const sign = ['--private-key', bob.privateKey, '--json']

export const dayOfCast: DayScript = async (url) => {
  const run = (...args: readonly string[]): Promise<CastResult> => cast(url, ...args)
  const all = (...commands: readonly string[][]): Promise<CastResult[]> =>
    Promise.all(commands.map((command) => run(...command)))
  const day: Record<string, unknown> = {}

  day['reads'] = await all(
    ['chain-id'],
    ['block', 'latest', '--full', '--json'],
    ['block', '1', '--json'],
    ['block', 'safe', '--json'],
    ['balance', a],
    ['balance', a, '--block', 'earliest'],
    ['nonce', b, '--block', 'pending'],
    ['rpc', 'eth_feeHistory', '0x4', 'latest', '[10,50,90]'],
  )
  day['estimates'] = await all(['estimate', a, '--from', b, '--value', '1'], ['gas-price'])

  const deployed = await run('send', ...sign, '--create', initCode)
  const { contractAddress: address, blockNumber } = JSON.parse(deployed.stdout) as Record<string, string>
  const stored = await run('send', address!, 'store(uint256)', '7', ...sign)
  const paid = await run('send', a, '--value', '5', ...sign)
  day['receipts'] = [deployed, stored, paid]
  const { transactionHash } = JSON.parse(paid.stdout) as Record<string, string>
  const { blockHash } = JSON.parse(stored.stdout) as Record<string, string>

  day['transactions'] = await all(
    ['code', address!],
    ['tx', transactionHash!, '--json'],
    ['receipt', transactionHash!, '--json'],
    ['rpc', 'eth_getTransactionByBlockHashAndIndex', blockHash!, '0x0'],
    ['tx', missingHash],
  )
  day['state'] = await all(
    ['call', address!, 'value()(uint256)'],
    ['call', address!, 'value()(uint256)', '--block', `${Number(blockNumber)}`],
    ['storage', address!, '0'],
  )
  day['reverts'] = await all(['call', address!, 'fail()'], ['estimate', address!, 'fail()'])
  day['logs'] = await all(
    ['logs', '--from-block', '0', '--address', address!, '--json'],
    ['logs', '--from-block', '0', '--address', address!, 'Stored(address indexed,uint256)', b, '--json'],
  )
  return day
}
