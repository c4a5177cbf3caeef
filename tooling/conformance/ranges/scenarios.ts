import type { RunningGateway } from '@wayleave/gateway'
import { httpUrl, startGatewayBefore } from '../test/support/gateway.ts'
import { busy, head, type Search } from './chain.ts'
import { type Answered, drawSearch, seeded, send } from './load.ts'
import { type RangeNode, startNode } from './node.ts'
import { type Provider, providers } from './providers.ts'

/** How a provider fared under a load. */
export interface ProviderRow {
  readonly provider: Provider
  readonly asked: number
  readonly refusals: number
  /** The most refusals of one kind of search: of some address, of any; where results count, of one address. */
  readonly mostOfAKind: number
  /** Refusals that an earlier one had told. */
  readonly inVain: number
}

/** The answers that callers got. */
export interface Outcomes {
  readonly calls: number
  readonly wrong: number
  readonly failed: number
  readonly refused: number
}

const outcomesOf = (answers: readonly Answered[]): Outcomes => {
  const count = (of: Answered['outcome']): number => answers.filter(({ outcome }) => outcome === of).length
  return { calls: answers.length, wrong: count('wrong'), failed: count('failed'), refused: count('refused') }
}

function rowOf(provider: Provider, { asked }: RangeNode): ProviderRow {
  const refused = asked.filter(({ isRefused }) => isRefused)
  const kinds = Map.groupBy(refused, ({ search: { address } }) =>
    provider.limit === 'results' ? address : String(address === undefined),
  )
  return {
    provider,
    asked: asked.length,
    refusals: refused.length,
    mostOfAKind: Math.max(0, ...[...kinds.values()].map((each) => each.length)),
    inVain: refused.filter(({ isInVain }) => isInVain).length,
  }
}

/** A gateway before nodes, the first of which is asked first wherever it can: the others cost much. */
function startGateway(nodes: readonly RangeNode[]): Promise<RunningGateway> {
  const upstreams = nodes.map(({ url }, i) => ({ url, price: i === nodes.length - 1 && i > 0 ? 1_000 : 0 }))
  const networks = {
    net: { kind: 'evm', chainId: 1, upstreams, followHeads: true, timeouts: { default: '20s' } },
  } as const
  return startGatewayBefore([], { networks })
}

/** Until the gateway knows the head. */
async function settle(gateway: RunningGateway): Promise<void> {
  await send(
    httpUrl(gateway),
    Array.from({ length: 5 }, (_, i) => ({ from: i, to: i, address: busy })),
    1,
  )
}

/** Asks a provider, the only upstream, for ranges of so many blocks, which it does not allow at once. */
export async function runOnly(
  provider: Provider,
  lengths: readonly number[],
  method: string,
  timeout = '20s',
): Promise<Outcomes & { readonly asked: number }> {
  await using node = await startNode(provider)
  const network = {
    kind: 'evm',
    chainId: 1,
    upstreams: [node.url],
    followHeads: true,
    timeouts: { default: timeout },
  } as const
  const gateway = await startGatewayBefore([], { networks: { net: network } })
  try {
    await settle(gateway)
    node.asked.length = 0
    const searches = lengths.map((blocks, i) => ({
      from: 5_000 * (i + 1),
      to: 5_000 * (i + 1) + blocks - 1,
      address: busy,
    }))
    const answers = await send(httpUrl(gateway), searches, 1, method)
    return { ...outcomesOf(answers), asked: node.asked.length }
  } finally {
    await gateway.close(0)
  }
}

/** A provider beside a node that allows everything and is dear: calls one after another, so that each can learn from the last. */
export async function runAlone(provider: Provider, calls: number, seed: number): Promise<ProviderRow & Outcomes> {
  await using node = await startNode(provider)
  await using archive = await startNode(undefined)
  const gateway = await startGateway([node, archive])
  try {
    await settle(gateway)
    node.asked.length = 0
    const random = seeded(seed)
    const answers = await send(
      httpUrl(gateway),
      Array.from({ length: calls }, () => drawSearch(random)),
      1,
    )
    return { ...outcomesOf(answers), ...rowOf(provider, node) }
  } finally {
    await gateway.close(0)
  }
}

/** All providers behind one network, with a dear node that allows everything or without one; so many calls at once. */
export async function runTogether(calls: number, seed: number, atOnce: number) {
  const kept = providers.filter(({ limit }) => limit !== 'hostile')
  const nodes = await Promise.all([...kept, undefined].map(startNode))
  const gateway = await startGateway(nodes)
  try {
    await settle(gateway)
    for (const { asked } of nodes) asked.length = 0
    const random = seeded(seed)
    const searches = Array.from({ length: calls }, () => drawSearch(random))
    const answers = await send(httpUrl(gateway), searches, atOnce)
    return { outcomes: outcomesOf(answers), rows: kept.map((provider, i) => rowOf(provider, nodes[i]!)) }
  } finally {
    await gateway.close(0)
    for (const node of nodes) await node[Symbol.asyncDispose]()
  }
}

/** The figures of ranges that the gateway has to ask for in parts. */
export interface SplitRanges {
  readonly outcomes: Outcomes
  /** Calls to upstreams for each provider, and those that it refused. */
  readonly asked: readonly { readonly provider: string; readonly asked: number; readonly refusals: number }[]
}

/** Asks for 30,001 blocks at a time, one call after another, where nobody allows as many. */
export async function runSplit(calls: number, seed: number): Promise<SplitRanges> {
  const kept = providers.filter(({ name }) => ['QuickNode free, HTTP 413', 'erigon', 'Infura, proposes'].includes(name))
  const limited = kept.map((provider) => ({
    ...provider,
    // Only this one allows more than 1,000 blocks, and no more than 10,000.
    react: (search: Search) =>
      provider.limit === 'results' && search.to - search.from + 1 > 10_000
        ? { code: -32_602, message: `range ${search.to - search.from + 1} exceeds limit of 10000` }
        : provider.react(search),
  }))
  const nodes = await Promise.all(limited.map(startNode))
  const gateway = await startGatewayBefore([], {
    networks: {
      net: { kind: 'evm', chainId: 1, upstreams: nodes.map(({ url }) => url), followHeads: true },
    },
  })
  try {
    await settle(gateway)
    for (const { asked } of nodes) asked.length = 0
    const random = seeded(seed)
    const searches = Array.from({ length: calls }, (_, i): Search => {
      const from = Math.floor(random() * (head - 60_000))
      return { from, to: from + 30_000, address: i % 2 === 0 ? busy : drawSearch(random).address }
    })
    const outcomes = outcomesOf(await send(httpUrl(gateway), searches, 1))
    const asked = nodes.map((node, i) => ({
      provider: kept[i]!.name,
      asked: node.asked.length,
      refusals: node.asked.filter(({ isRefused }) => isRefused).length,
    }))
    return { outcomes, asked }
  } finally {
    await gateway.close(0)
    for (const node of nodes) await node[Symbol.asyncDispose]()
  }
}
