import { isDeepStrictEqual } from 'node:util'
import { baseChain, baseContract, baseTopic } from '../../../other-chains/base-chain.ts'
import { filecoinChain, filecoinContract, filecoinTopic } from '../../../other-chains/filecoin-chain.ts'
import type { Hex, RigBlock, RigChain } from '../../../other-chains/rig-chain.ts'
import { type RigNode, startRigNode } from '../../../other-chains/rig-node.ts'
import { httpUrl, key, wsUrl } from '../gateway.ts'
import { startProxy } from '../proxy-process.ts'

export type ChainName = 'filecoin' | 'base'

/** The facts of a chain that its scripts name. */
export interface Facts {
  readonly contract: Hex
  readonly topic: Hex
  readonly block: RigBlock
  /** A height without a block, where the chain has such. */
  readonly place: number
  readonly head: number
  /** A transaction, and one of a block that is not sealed, where nodes tell such. */
  readonly transactions: readonly Hex[]
}

export interface Scene extends AsyncDisposable {
  readonly chain: RigChain
  readonly facts: Facts
  /** The addresses of the node and of the gateway before it. */
  readonly direct: { readonly http: string; readonly ws: string }
  readonly through: { readonly http: string; readonly ws: string }
  /** The logs of each block that the contract has. */
  readonly logsOfBlock: number
  /** Makes the next block. */
  mine(): void
  /** Resolves once the gateway serves the last block. */
  settled(): Promise<void>
}

/** Two nodes of a chain, and a gateway before them, as its real program. Direct callers ask the first node, which knows most. */
export async function startScene(name: ChainName): Promise<Scene> {
  const filecoin = name === 'filecoin'
  const base = baseChain(0)
  const chain = filecoin ? filecoinChain(0, (number) => number % 7 === 3 || number % 23 === 1) : base
  const grow = (): void => {
    if (!filecoin) base.preconfirm()
  }
  for (let i = 0; i < 60; i++) {
    grow()
    chain.mine()
  }
  grow()
  const nodes: readonly RigNode[] = [await startRigNode(chain, { flashblocks: !filecoin }), await startRigNode(chain)]
  const gateway = await startProxy({
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    projects: [{ name: 'conformance', keys: [{ key }] }],
    networks: {
      net: { kind: 'evm', chainId: chain.chainId, upstreams: nodes.map(({ url, ws }) => ({ url, ws, probe: true })) },
    },
  })
  const through = { http: httpUrl(gateway as never), ws: wsUrl(gateway as never) }
  const block = chain.blocks[20]!
  const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(through.http, { method: 'POST', body })
    return ((await response.json()) as { readonly result: unknown }).result
  }
  const height = async (): Promise<number> => Number(await ask('eth_blockNumber'))
  // The gateway learns of its nodes by its callers.
  const isKnown = (): boolean => filecoin || nodes.every(({ calls }) => calls.has('op_supportedCapabilities'))
  do await ask('eth_getBlockByNumber', 'pending', false)
  while (!isKnown())
  const mine = (): void => {
    chain.mine()
    grow()
    for (const node of nodes) node.follow()
  }
  const settled = async (): Promise<void> => {
    while ((await height()) < chain.blocks.at(-1)!.number);
  }
  // The gateway sees how the chain goes over a height.
  await settled()
  for (let i = 0; i < 12; i++) {
    mine()
    await settled()
  }
  return {
    chain,
    facts: {
      contract: filecoin ? filecoinContract : baseContract,
      topic: filecoin ? filecoinTopic : baseTopic,
      block,
      place: filecoin
        ? chain.blocks.findLast(({ number }, i) => number > chain.blocks[i - 1]!.number + 1)!.number - 1
        : 61,
      head: chain.blocks.at(-1)!.number,
      transactions: [block.transactions[1]!.hash, ...(filecoin ? [] : [chain.pending.transactions[1]!.hash])],
    },
    direct: { http: nodes[0]!.url, ws: nodes[0]!.ws },
    through,
    logsOfBlock: filecoin ? 2 : 1,
    mine,
    settled,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      for (const node of nodes) await node[Symbol.asyncDispose]()
    },
  }
}

/** The outcome of a question: its value, or its error without the URL and the number of the call. */
export type Settled = { readonly value: unknown } | { readonly error: unknown }

export async function settle(
  script: Readonly<Record<string, () => Promise<unknown>>>,
  faceOf: (thrown: unknown) => unknown,
): Promise<Record<string, Settled>> {
  const settled: Record<string, Settled> = {}
  for (const [name, ask] of Object.entries(script)) {
    settled[name] = await ask().then(
      (value) => ({ value }),
      (thrown: unknown) => ({ error: faceOf(thrown) }),
    )
  }
  return settled
}

/** The members that differ, each with both of its values. */
export function differences<T>(
  direct: Readonly<Record<string, T>>,
  through: Readonly<Record<string, T>>,
): Record<string, { readonly direct: T; readonly through: T | undefined }> {
  const names = Object.keys(direct).filter((name) => !isDeepStrictEqual(direct[name], through[name]))
  return Object.fromEntries(names.map((name) => [name, { direct: direct[name]!, through: through[name] }]))
}
