import { type EvmNetworkConfig, type RecognizedNode, slugOfChain, type StarknetNetworkConfig } from '@wayleave/gateway'
import { freeName } from '../free-name.ts'

/** A node that was asked for its kind and its chain. */
export interface HomeNode extends RecognizedNode {
  readonly url: string
}

type Networks = Readonly<Record<string, EvmNetworkConfig | StarknetNetworkConfig>>

/** The start of the slugs of chains without a name: nodes of kinds that share it may be of one chain. */
const slugs: Readonly<Record<HomeNode['kind'], string>> = { evm: 'chain', rollup: 'chain', starknet: 'starknet' }

/** Makes a network of the nodes of each chain, in the order of the first ones. Each gets the slug by which its chain is known, or `chain-1337`. */
export function homeNetworks(nodes: readonly HomeNode[]): Networks {
  const byChain = new Map<string, HomeNode[]>()
  for (const node of nodes) {
    const chain = `${slugs[node.kind]} ${node.chainId}`
    byChain.set(chain, [...(byChain.get(chain) ?? []), node])
  }
  const networks: Record<string, Networks[string]> = {}
  for (const alike of byChain.values()) {
    // Other signs become `-`, so two chains may want one slug.
    networks[freeName(slugOf(alike[0]!), (slug) => Object.hasOwn(networks, slug))] = networkOf(alike)
  }
  return networks
}

function networkOf(nodes: readonly HomeNode[]): Networks[string] {
  const { kind, chainId } = nodes.find((node) => node.kind === 'rollup') ?? nodes[0]!
  // The chain id of a kind is of its type.
  return { kind, chainId, upstreams: nodes.map(({ url }) => url) } as Networks[string]
}

function slugOf({ kind, chainId }: HomeNode): string {
  const known = slugOfChain(chainId)
  if (known !== undefined) return known
  const text = String(chainId)
    .toLowerCase()
    .replaceAll(/[^\da-z]+/g, '-')
  return `${slugs[kind]}-${text}`.slice(0, 63)
}
