import { Web3, WebSocketProvider } from 'web3'
import { alice, bob } from '../chain.ts'
import { until } from '../wait.ts'
import { abi, type DayScript, failure, initCode, missingHash } from './day.ts'

const [a, b] = [alice.address, bob.address]
const reported = ['name', 'code', 'message', 'reason', 'signature']

export const dayOfWeb3: DayScript = async (url) => {
  const socket = url.startsWith('ws') ? new WebSocketProvider(url) : undefined
  const web3 = new Web3(socket ?? url)
  const { eth } = web3
  eth.transactionPollingInterval = 50
  eth.accounts.wallet.add(bob.privateKey)
  const day: Record<string, unknown> = {}

  day['reads'] = await Promise.all([
    eth.getChainId(),
    eth.getBlockNumber(),
    eth.getBlock('latest', true),
    eth.getBlock('earliest'),
    eth.getBlock(1),
    eth.getBlock('safe'),
    eth.getBalance(a),
    eth.getBalance(a, 'earliest'),
    eth.getBalance(a, 1),
    eth.getTransactionCount(b, 'pending'),
    eth.getGasPrice(),
    eth.getFeeHistory(4, 'latest', [10, 50, 90]),
  ])
  day['estimates'] = await Promise.all([
    eth.estimateGas({ from: b, to: a, value: '1' }),
    new eth.Contract(abi).deploy({ data: initCode }).estimateGas({ from: b }),
    eth.calculateFeeData(),
  ])

  const sent = new eth.Contract(abi).deploy({ data: initCode }).send({ from: b })
  const deployment = new Promise<string>((resolve) => void sent.on('transactionHash', (hash) => resolve(String(hash))))
  const contract = await sent
  const deployed = await eth.getTransactionReceipt(await deployment)
  const address = contract.options.address!
  const pushes: unknown[] = []
  if (socket !== undefined) {
    const subscription = await eth.subscribe('logs', { address })
    subscription.on('data', (log) => void pushes.push(log))
  }
  day['code'] = await eth.getCode(address)

  const stored = await contract.methods['store']!(7).send({ from: b })
  const paid = await eth.sendTransaction({ from: b, to: a, value: '5' })
  day['receipts'] = [deployed, stored, paid]
  day['transactions'] = [
    await mined(() => eth.getTransaction(paid.transactionHash)),
    await eth.getTransactionFromBlock(stored.blockHash, 0),
    await failure(eth.getTransaction(missingHash), reported),
  ]
  const view = contract.methods['value']!()
  day['state'] = [await view.call(), await view.call({}, deployed.blockNumber), await eth.getStorageAt(address, 0)]
  const fail = contract.methods['fail']!()
  day['reverts'] = [
    await failure(fail.call({ from: b }), reported),
    await failure(fail.estimateGas({ from: b }), reported),
  ]
  day['logs'] = [
    await eth.getPastLogs({ address, fromBlock: 'earliest' }),
    await eth.getPastLogs({ blockHash: stored.blockHash as string }),
    await contract.getPastEvents('Stored' as never, { fromBlock: 'earliest' }),
  ]
  const batch = new web3.BatchRequest()
  const answers = [
    batch.add({ method: 'eth_getBalance', params: [a, 'latest'] }),
    batch.add({ method: 'eth_getCode', params: [address, 'latest'] }),
  ]
  await batch.execute()
  day['batch'] = await Promise.all(answers)
  if (socket !== undefined) await until('the log', () => pushes.length === 1)
  day['pushes'] = pushes
  socket?.disconnect()
  return day
}

/** Reads a transaction that has a receipt until it has a block, too: on a busy machine anvil finds it among those that wait for a while. */
async function mined<T extends { readonly blockHash?: unknown }>(read: () => Promise<T>): Promise<T> {
  for (let left = 100; ; left--) {
    const found = await read()
    if ((found.blockHash ?? null) !== null || left === 0) return found
  }
}
