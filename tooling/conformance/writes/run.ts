import { Agent } from 'node:http'
import { createLog, type RunningGateway, startGateway } from '@wayleave/gateway'
import { createRandom } from '../crash-seeds/random.ts'
import { call, post, type RpcAnswer } from '../test/support/http.ts'
import { openSocket, type TestSocket } from '../test/support/socket.ts'
import { type FaultyNode, startFaultyNode, type Way } from './faulty-node.ts'
import type { Ledger } from './ledger.ts'
import type { Prepared } from './transactions.ts'

/** The nodes; the last two are private. */
export const nodes = [false, false, false, true, true].map((isPrivate) => ({ isPrivate }))
const keys = { open: 'a'.repeat(32), hidden: 'b'.repeat(32) }
type Project = keyof typeof keys

export interface RunOptions {
  readonly name: string
  readonly broadcast: number
  readonly chainId: number
  readonly ledger: Ledger
  /** In rows: those of a row are sent one after another. */
  readonly rows: readonly (readonly Prepared[])[]
  /** Called where a transaction was not answered by its hash, before the next one of its row. */
  readonly onMissed?: ((transaction: Prepared) => Promise<void>) | undefined
  readonly seed: number
}

export interface RunResult {
  readonly name: string
  readonly broadcast: number
  readonly sent: number
  readonly seconds: number
  /** Transactions by what their caller was told. */
  readonly reported: { readonly hash: number; readonly doubt: number; readonly failed: number }
  /** Those in doubt that were mined. */
  readonly doubtsMined: number
  readonly mined: number
  /** Transactions that nodes received, in all. */
  readonly received: number
  readonly gone: ReadonlyMap<Way, number>
  /** Looks for private transactions by another project, before they were mined. */
  readonly looks: number
  /** Sentences; empty where all bars hold. */
  readonly broken: readonly string[]
}

/** Callers at once. */
const tenants = 240

/** Sends transactions through a gateway before nodes that go wrong in every way, and judges what its callers are told. */
export async function run({ name, broadcast, chainId, ledger, rows, onMissed, seed }: RunOptions): Promise<RunResult> {
  const { int } = createRandom(seed)
  const next = (): number => int(2 ** 30) / 2 ** 30
  const all = rows.flat()
  const byRaw = new Map<string, Prepared>(all.map((each) => [each.raw, each]))
  const projectOf = new Map<Prepared, Project>(
    rows.flatMap((row) => {
      const project = next() < 0.2 ? 'hidden' : 'open'
      return row.map((each) => [each, project] as const)
    }),
  )
  // Two transactions of one nonce are one sender's, and so one project's.
  const bySender = new Map<string, Project>()
  for (const [each, project] of projectOf) {
    const own = bySender.get(each.sender) ?? project
    bySender.set(each.sender, own)
    projectOf.set(each, own)
  }

  await using opened = new AsyncDisposableStack()
  const faulty: FaultyNode[] = []
  for (const place of nodes.keys()) {
    faulty.push(opened.use(await startFaultyNode({ ledger, place, byRaw, random: next })))
  }
  const gateway = opened.use(await start(faulty, broadcast, chainId))
  const agent = new Agent({ keepAlive: true, maxSockets: tenants })
  opened.defer(() => agent.destroy())
  const url = (project: Project): string => `${gateway.rpc}/v3/${keys[project]}`
  const sockets: Record<Project, TestSocket> = {
    open: opened.use(await openSocket(`${gateway.ws}/ws/v3/${keys.open}`)),
    hidden: opened.use(await openSocket(`${gateway.ws}/ws/v3/${keys.hidden}`)),
  }

  const outcomes = new Map<Prepared, 'hash' | 'doubt' | 'failed'>()
  const broken: string[] = []

  async function askAll(
    project: Project,
    calls: readonly (readonly [method: string, params: readonly unknown[]])[],
  ): Promise<readonly RpcAnswer[]> {
    if (calls.length === 1 && next() < 0.3) return [await sockets[project].ask(...calls[0]!)]
    const bodies = calls.map(([method, params], i) => call(method, params, i))
    const { text } = await post(url(project), bodies.length === 1 ? bodies[0] : bodies, { agent })
    const answers = JSON.parse(text) as RpcAnswer | readonly RpcAnswer[]
    return 'length' in answers ? answers.toSorted((a, b) => Number(a.id) - Number(b.id)) : [answers]
  }

  async function judge(transaction: Prepared, isSync: boolean, { result, error }: RpcAnswer): Promise<void> {
    const { hash } = transaction
    if (error === undefined) {
      const reported = isSync ? (result as { readonly transactionHash?: unknown } | null)?.transactionHash : result
      outcomes.set(transaction, 'hash')
      if (reported !== hash) broken.push(`${hash} was answered by ${JSON.stringify(result)}`)
      return
    }
    const isInDoubt = error.code === 4 || (Object(error.data) as { readonly hash?: unknown }).hash === hash
    outcomes.set(transaction, isInDoubt ? 'doubt' : 'failed')
  }

  async function send(transactions: readonly Prepared[], isSync: boolean): Promise<void> {
    const method = isSync ? 'eth_sendRawTransactionSync' : 'eth_sendRawTransaction'
    const project = projectOf.get(transactions[0]!)!
    const answers = await askAll(
      project,
      transactions.map(({ raw }) => [method, isSync ? [raw, 2_000] : [raw]]),
    )
    for (const [i, transaction] of transactions.entries()) await judge(transaction, isSync, answers[i]!)
  }

  let looks = 0
  /** Another project asks for what it must not know. */
  async function spy(transaction: Prepared): Promise<void> {
    const { hash, sender } = transaction
    const [count, found] = await askAll('open', [
      ['eth_getTransactionCount', [sender, 'pending']],
      ['eth_getTransactionByHash', [hash]],
    ])
    // The other transaction of its sender and nonce may have come first.
    for (const each of all) if (each.sender === sender && (await ledger.isMined(each))) return
    looks++
    const reported = JSON.stringify([count, found])
    if (reported.includes(hash) || (rows.length === all.length && Number(count!.result ?? 0) > 0))
      broken.push(`${hash} is private, and another project was told ${reported}`)
  }

  const from = performance.now()
  const left = [...rows]
  const spies: Promise<void>[] = []
  const isOneByOne = rows.length === all.length
  async function tenant(): Promise<void> {
    for (;;) {
      const row = left.shift()
      if (row === undefined) return
      const project = projectOf.get(row[0]!)!
      const others =
        isOneByOne && next() < 0.1
          ? left.splice(
              0,
              left.findIndex(([each]) => projectOf.get(each!) !== project),
            )
          : []
      const batch = [...row.slice(0, isOneByOne ? 1 : 0), ...others.flat()]
      const isSync = next() < 0.05
      const groups = isOneByOne ? [batch] : row.map((each) => [each])
      for (const group of groups) {
        const sending = send(group, isSync)
        if (project === 'hidden' && isOneByOne && spies.length < 2_000) spies.push(spy(group[0]!))
        await sending
        for (const each of group) if (outcomes.get(each) !== 'hash') await onMissed?.(each)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(tenants, rows.length) }, tenant))
  await Promise.all(spies)
  const seconds = (performance.now() - from) / 1_000
  // Nodes that are late take transactions until now.
  await new Promise((resolve) => setTimeout(resolve, 2_500))

  const reported = { hash: 0, doubt: 0, failed: 0 }
  let mined = 0
  let doubtsMined = 0
  for (const transaction of all) {
    const outcome = outcomes.get(transaction)
    const { hash } = transaction
    const isMined = await ledger.isMined(transaction)
    if (isMined) mined++
    if (outcome === undefined) broken.push(`${hash} has no answer`)
    else reported[outcome]++
    if (outcome === 'doubt' && isMined) doubtsMined++
    if (outcome === 'failed' && (await ledger.isKnown(transaction)))
      broken.push(`${hash} was reported as failed, and is mined`)
    faulty.forEach(({ received }, i) => {
      const times = received.get(hash) ?? 0
      if (times > 1) broken.push(`${hash} came to node ${i + 1} ${times} times`)
      if (times > 0 && projectOf.get(transaction) === 'hidden' && !nodes[i]!.isPrivate)
        broken.push(`${hash} is private, and came to node ${i + 1}`)
      if (times > 0 && projectOf.get(transaction) === 'open' && nodes[i]!.isPrivate)
        broken.push(`${hash} is not private, and came to node ${i + 1}`)
    })
  }
  const gone = new Map<Way, number>()
  for (const node of faulty) for (const [way, times] of node.gone) gone.set(way, (gone.get(way) ?? 0) + times)
  const received = faulty.reduce((sum, node) => sum + [...node.received.values()].reduce((a, b) => a + b, 0), 0)
  return { name, broadcast, sent: all.length, seconds, reported, doubtsMined, mined, received, gone, looks, broken }
}

function start(faulty: readonly FaultyNode[], broadcast: number, chainId: number): Promise<RunningGateway> {
  const upstreams = faulty.map(({ url }, i) => ({ url, private: nodes[i]!.isPrivate }))
  const network = { kind: 'evm', chainId, upstreams, broadcast, followHeads: chainId === 1, gas: false } as const
  return startGateway(
    {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      networks: { net: network },
      defaultNetwork: 'net',
      projects: [
        { name: 'open', keys: [{ key: keys.open }] },
        { name: 'hidden', keys: [{ key: keys.hidden }], transactions: 'private' },
      ],
      limits: { requestTimeoutMs: 8_000 },
    },
    { log: createLog({ level: 'silent' }) },
  )
}
