import { createPublicClient, createWalletClient, http, type Log, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { alice, bob } from '../chain.ts'
import { until } from '../wait.ts'
import { abi, type DayScript, failData, failure, initCode, missingHash } from './day.ts'

const account = privateKeyToAccount(bob.privateKey as `0x${string}`)
const [a, b] = [alice.address, bob.address] as [`0x${string}`, `0x${string}`]
/** Not `message` and the like: they name the URL. */
const reported = ['name', 'shortMessage', 'details', 'code', 'data', 'reason', 'raw']

export const dayOfViem: DayScript = async (url) => {
  const isSocket = url.startsWith('ws')
  const transport = isSocket ? webSocket(url) : http(url, { batch: true })
  const client = createPublicClient({ chain: foundry, transport, pollingInterval: 50, cacheTime: 0 })
  const wallet = createWalletClient({ account, chain: foundry, transport })
  const day: Record<string, unknown> = {}

  day['reads'] = await Promise.all([
    client.getChainId(),
    client.getBlockNumber(),
    client.getBlock({ includeTransactions: true }),
    client.getBlock({ blockTag: 'earliest' }),
    client.getBlock({ blockNumber: 1n }),
    client.getBlock({ blockTag: 'safe' }),
    client.getBalance({ address: a }),
    client.getBalance({ address: a, blockTag: 'earliest' }),
    client.getBalance({ address: a, blockNumber: 1n }),
    client.getTransactionCount({ address: b, blockTag: 'pending' }),
    client.getGasPrice(),
    client.getFeeHistory({ blockCount: 4, rewardPercentiles: [10, 50, 90] }),
  ])
  day['estimates'] = await Promise.all([
    client.estimateGas({ account: b, to: a, value: 1n }),
    client.estimateGas({ account: b, data: initCode }),
    client.estimateFeesPerGas(),
  ])

  const deployed = await client.waitForTransactionReceipt({
    hash: await wallet.deployContract({ abi, bytecode: initCode }),
  })
  const address = deployed.contractAddress!
  const pushes: Log[] = []
  const stop = isSocket
    ? client.watchContractEvent({ address, abi, onLogs: (logs) => pushes.push(...logs) })
    : (): void => {}
  // Answered after the subscription, which went before on the same connection.
  day['code'] = await client.getCode({ address })

  const stored = await client.waitForTransactionReceipt({
    hash: await wallet.writeContract({ address, abi, functionName: 'store', args: [7n] }),
  })
  const paid = await client.waitForTransactionReceipt({ hash: await wallet.sendTransaction({ to: a, value: 5n }) })
  day['receipts'] = [deployed, stored, paid]
  day['transactions'] = await Promise.all([
    client.getTransaction({ hash: paid.transactionHash }),
    client.getTransaction({ blockHash: stored.blockHash, index: 0 }),
    client.getTransaction({ blockNumber: deployed.blockNumber, index: 0 }),
    failure(client.getTransaction({ hash: missingHash }), reported),
  ])
  day['state'] = await Promise.all([
    client.readContract({ address, abi, functionName: 'value' }),
    client.readContract({ address, abi, functionName: 'value', blockNumber: deployed.blockNumber }),
    client.getStorageAt({ address, slot: '0x0' }),
  ])
  day['reverts'] = [
    await failure(client.simulateContract({ address, abi, functionName: 'fail', account: b }), reported),
    await failure(client.estimateGas({ account: b, to: address, data: failData }), reported),
  ]
  day['logs'] = [
    await client.getContractEvents({ address, abi, eventName: 'Stored', fromBlock: 0n }),
    await client.getLogs({ blockHash: stored.blockHash }),
    await client.getContractEvents({ address, abi, eventName: 'Stored', args: { by: a }, fromBlock: 0n }),
  ]
  if (isSocket) await until('the log', () => pushes.length === 1)
  day['pushes'] = pushes
  stop()
  const { getRpcClient } = client.transport as { getRpcClient?: () => Promise<{ close(): void }> }
  if (getRpcClient !== undefined) (await getRpcClient()).close()
  return day
}
