import type { SocketCaller } from '../callers.ts'
import { keyOf } from '../config.ts'
import { eventually, hex, places, resultIn, type Scene } from './scene.ts'

const logAddress = `0x${'ab'.repeat(20)}`
const transaction = (digit: string) => ({ hash: `0x${digit.repeat(64)}`, nonce: '0x1', value: '0x0' })

interface Kind {
  readonly name: string
  readonly params: readonly unknown[]
  /** Has the node push what the subscription tells. Default: nothing comes. */
  readonly push?: (scene: Scene) => Promise<void> | void
  /** Blocks before the head from which on it tells what was. */
  readonly since?: number
  /** Events that a push makes. Default 1. */
  readonly events?: number
}

const addBlock: Kind['push'] = (scene) => scene.addBlock()
const pushPending =
  (result: unknown): NonNullable<Kind['push']> =>
  ({ deployment }) =>
    deployment.evm.push('newPendingTransactions', result)

const kinds: readonly Kind[] = [
  { name: 'newHeads', params: ['newHeads'], push: addBlock },
  { name: 'newHeads with options', params: ['newHeads', {}], push: addBlock },
  { name: 'newHeads from a block', params: ['newHeads'], since: 1, push: () => {} },
  { name: 'logs', params: ['logs', {}], push: addBlock, events: 2 },
  {
    name: 'logs of an address',
    params: ['logs', { address: logAddress, topics: [`0x${'1'.repeat(64)}`] }],
    push: addBlock,
  },
  { name: 'logs of another address', params: ['logs', { address: `0x${'cd'.repeat(20)}` }] },
  { name: 'logs without a filter', params: ['logs'] },
  { name: 'logs of a wrong address', params: ['logs', { address: '0x12' }] },
  { name: 'newPendingTransactions', params: ['newPendingTransactions'], push: pushPending(transaction('a').hash) },
  {
    name: 'newPendingTransactions in short',
    params: ['newPendingTransactions', false],
    push: pushPending(transaction('b').hash),
  },
  {
    name: 'newPendingTransactions in full',
    params: ['newPendingTransactions', true],
    push: pushPending(transaction('c')),
  },
  { name: 'newPendingTransactions with a wrong flag', params: ['newPendingTransactions', 'yes'] },
  { name: 'transactionReceipts', params: ['transactionReceipts'], push: addBlock },
  { name: 'syncing', params: ['syncing'], push: () => {} },
  {
    name: 'a kind of the node',
    params: ['lawThings', { some: 1 }],
    push: ({ deployment }) => deployment.evm.push('lawThings', { a: [1.5] }),
  },
  { name: 'an unknown kind', params: ['newFlashblocks'] },
  { name: 'an unknown kind without data', params: ['lawNothing', 1] },
  { name: 'no kind', params: [] },
  { name: 'a kind that is no text', params: [7] },
]

/** Every kind of subscription at each place; then how many of them the node still has. */
export async function subscribeToEveryKind(scene: Scene): Promise<void> {
  const { transcript, socket, deployment } = scene
  for (const place of places) {
    for (const { name, params: given, push, since = 0, events = 1 } of kinds) {
      const entry = `subscription, place ${place}: ${name}`
      const ws = await socket(place, `/ws/v3/${keyOf('open')}`)
      const params = since === 0 ? given : [...given, { fromBlock: hex(deployment.evm.chain.height - since) }]
      const lines = await hear(ws, scene, entry, params, push, events + since)
      lines.push(await ws.ask('eth_unsubscribe', ['0xdead']))
      transcript.add(entry, lines)
      ws[Symbol.dispose]()
    }
    const ws = await socket(place, `/ws/v3/${keyOf('open')}`)
    const statuses: string[] = []
    for (let i = 0; i < 13; i++) {
      const answer = await ws.ask('eth_subscribe', ['syncing'])
      statuses.push(answer.includes('"error"') ? answer : 'opened')
    }
    transcript.add(`subscription, place ${place}: more than a connection may have`, statuses)
    ws[Symbol.dispose]()
  }
  transcript.add('subscription: open at the node after all have ended', [
    await settled(() =>
      ['newPendingTransactions', 'lawThings', 'newFlashblocks'].map((kind) => deployment.evm.subscribersOf(kind)),
    ),
  ])
}

async function hear(
  ws: SocketCaller,
  scene: Scene,
  entry: string,
  params: unknown,
  push: Kind['push'],
  count: number,
): Promise<string[]> {
  const lines = [await ws.ask('eth_subscribe', params)]
  const id = resultIn(lines[0]!)
  if (id === 'undefined') return lines
  scene.transcript.hide(id, `id of ${entry}`)
  await push?.(scene)
  if (push !== undefined && !(await ws.pushed(id, count))) lines.push('no event came')
  lines.push(await ws.ask('eth_unsubscribe', [id]), await ws.ask('eth_unsubscribe', [id]))
  return [lines[0]!, ...ws.pushes(id), ...lines.slice(1)]
}

/** Reads numbers until all are 0, or for two seconds. */
async function settled(read: () => readonly number[]): Promise<string> {
  await eventually(() => read().every((one) => one === 0)).catch(() => {})
  return read().join(' ')
}

/** One caller tries a hundred times to see pending transactions; none of the tries is left at the node. */
export async function leaveNothingOpen({ transcript, socket, deployment }: Scene): Promise<void> {
  for (const place of places) {
    const answers = new Set<string>()
    for (let i = 0; i < 20; i++) {
      const ws = await socket(place, `/ws/v3/${keyOf('open')}`)
      for (let times = 0; times < 5; times++) {
        const answer = await ws.ask('eth_subscribe', ['newPendingTransactions'])
        answers.add(answer.includes('"error"') ? answer.replace(/"id":\d+/, '"id":<id>') : 'opened')
      }
      ws[Symbol.dispose]()
    }
    transcript.add(`subscription, place ${place}: a hundred to pending transactions, then none`, [
      ...answers,
      await settled(() => [deployment.evm.subscribersOf('newPendingTransactions')]),
    ])
  }
}

const starknetKinds: readonly (readonly [method: string, event: string | undefined])[] = [
  ['starknet_subscribeNewHeads', 'NewHeads'],
  ['starknet_subscribeEvents', 'Events'],
  ['starknet_subscribeTransactionStatus', 'TransactionStatus'],
  ['starknet_subscribePendingTransactions', 'PendingTransactions'],
  ['starknet_subscribeLawNothing', undefined],
]

/** Every kind of subscription of Starknet at each place. */
export async function subscribeToStarknet({ transcript, socket, rpc, deployment }: Scene): Promise<void> {
  const { starknet } = deployment
  for (const place of places) {
    for (const [method, event] of starknetKinds) {
      const entry = `subscription of Starknet, place ${place}: ${method}`
      const ws = await socket(place, `/starknet/ws/v3/${keyOf('open')}/rpc/v0_8`)
      const lines = [await ws.ask(method, event === 'TransactionStatus' ? ['0x1'] : {})]
      const id = resultIn(lines[0]!)
      if (event !== undefined && id !== 'undefined') {
        starknet.push(method, event, { block_number: 8, of: [event] })
        starknet.push(method, 'Reorg', { starting_block_number: 7 })
        if (!(await ws.pushed(id, 2))) lines.push('no event came')
        lines.push(
          ...ws.pushes(id),
          await ws.ask('starknet_unsubscribe', [id]),
          await ws.ask('starknet_unsubscribe', [id]),
        )
      }
      transcript.add(entry, lines)
      ws[Symbol.dispose]()
    }
    const ws = await socket(place, `/starknet/ws/v3/${keyOf('open')}`)
    transcript.add(`subscription of Starknet, place ${place}: without a version`, [
      await ws.ask('starknet_subscribeNewHeads'),
    ])
    transcript.answer(
      `subscription of Starknet, place ${place}: over HTTP`,
      await rpc(place, 'open', 'starknet_subscribeNewHeads', {}, { path: '/starknet' }),
    )
  }
  transcript.add('subscription of Starknet: open at the node after all have ended', [
    await settled(() => [starknet.open.size]),
  ])
}
