import {
  Contract,
  ContractFactory,
  Interface,
  JsonRpcProvider,
  type Log,
  NonceManager,
  Wallet,
  WebSocketProvider,
} from 'ethers'
import { alice, bob } from '../chain.ts'
import { until } from '../wait.ts'
import { abi, type DayScript, failData, failure, initCode, missingHash } from './day.ts'

const [a, b] = [alice.address, bob.address]
/** Not `message` and `info`: they hold the number of the call. */
const reported = ['name', 'code', 'shortMessage', 'reason', 'data', 'revert', 'action']

export const dayOfEthers: DayScript = async (url) => {
  const isSocket = url.startsWith('ws')
  const options = { cacheTimeout: -1, polling: true, pollingInterval: 50 }
  const provider = isSocket
    ? new WebSocketProvider(url, undefined, { cacheTimeout: -1 })
    : new JsonRpcProvider(url, undefined, options)
  const wallet = new NonceManager(new Wallet(bob.privateKey, provider))
  const day: Record<string, unknown> = {}

  const blocks = await Promise.all(['latest', 'earliest', 1, 'safe'].map((tag) => provider.getBlock(tag, true)))
  day['reads'] = [
    blocks.map((block) => [block!.toJSON(), block!.prefetchedTransactions.map((each) => each.toJSON())]),
    ...(await Promise.all([
      provider.getNetwork().then((network) => network.toJSON()),
      provider.getBlockNumber(),
      provider.getBalance(a),
      provider.getBalance(a, 'earliest'),
      provider.getBalance(a, 1),
      provider.getTransactionCount(b, 'pending'),
      provider.getFeeData().then((fees) => fees.toJSON()),
      provider.send('eth_feeHistory', ['0x4', 'latest', [10, 50, 90]]),
    ])),
  ]
  day['estimates'] = await Promise.all([
    provider.estimateGas({ from: b, to: a, value: 1n }),
    provider.estimateGas({ from: b, data: initCode }),
  ])

  const contract = await new ContractFactory(new Interface(abi), initCode, wallet).deploy()
  const deployed = await contract.deploymentTransaction()!.wait()
  const address = await contract.getAddress()
  const pushes: object[] = []
  if (isSocket) await provider.on({ address }, (log: Log) => pushes.push(log.toJSON()))
  day['code'] = await provider.getCode(address)

  const stored = await (await contract.getFunction('store')(7n)).wait()
  const paid = await (await wallet.sendTransaction({ to: a, value: 5n })).wait()
  day['receipts'] = [deployed, stored, paid].map((receipt) => receipt!.toJSON())
  day['transactions'] = [
    (await provider.getTransaction(paid!.hash))!.toJSON(),
    await provider.send('eth_getTransactionByBlockHashAndIndex', [stored.blockHash, '0x0']),
    await provider.getTransaction(missingHash),
  ]
  const view = contract.getFunction('value')
  day['state'] = await Promise.all([view(), view({ blockTag: deployed!.blockNumber }), provider.getStorage(address, 0)])
  const fail = new Contract(address, new Interface(abi), provider).getFunction('fail')
  day['reverts'] = [
    await failure(fail.staticCall({ from: b }), reported),
    await failure(provider.estimateGas({ from: b, to: address, data: failData }), reported),
  ]
  const queries = [
    { address, fromBlock: 0 },
    { blockHash: stored.blockHash },
    { address, topics: [null, null], fromBlock: 0 },
  ]
  day['logs'] = await Promise.all(
    queries.map(async (query) => (await provider.getLogs(query)).map((log) => log.toJSON())),
  )
  if (isSocket) await until('the log', () => pushes.length === 1)
  day['pushes'] = pushes
  await provider.destroy()
  return day
}
