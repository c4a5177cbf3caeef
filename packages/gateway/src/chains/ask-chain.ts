import { namedUpstream, type NetworkConfig } from '@wayleave/network/config'
import { chainKinds, readChainId } from '@wayleave/network'
import { hostOf } from '../config/summary.ts'
import { type AskOptions, openAskedNode } from './asked-node.ts'

/** The chain that the nodes of a network tell, or why none is known. */
export type ReportedChain =
  | { readonly chainId: number | string }
  /** Nodes of several chains, in words: waiting does not help. */
  | { readonly conflict: string }
  /** No node has told its chain, and why not. */
  | { readonly fault: string }

/** Asks all upstreams of a network for their chain, at once. Those that are silent are left out if another one answers. Never rejects. */
export async function askChain(
  network: Pick<NetworkConfig, 'kind' | 'upstreams'>,
  options: AskOptions,
): Promise<ReportedChain> {
  const asked = await Promise.all(
    network.upstreams.map(async (upstream, i) => {
      const { name, url } = namedUpstream(upstream, i)
      return { name: `${name} (${hostOf(url)})`, ...(await askOne(network.kind, upstream, options)) }
    }),
  )
  const reported = asked.flatMap((each) => ('chainId' in each ? [each] : []))
  const [first] = reported
  if (first === undefined) {
    return { fault: asked.flatMap((each) => ('fault' in each ? [`${each.name}: ${each.fault}`] : [])).join('; ') }
  }
  if (reported.every(({ chainId }) => chainId === first.chainId)) return { chainId: first.chainId }
  return { conflict: reported.map(({ name, chainId }) => `chain ${chainId} from ${name}`).join(', ') }
}

type Asked = { readonly chainId: number | string } | { readonly fault: string }

async function askOne(
  kind: NetworkConfig['kind'],
  upstream: NetworkConfig['upstreams'][number],
  options: AskOptions,
): Promise<Asked> {
  const method = chainKinds[kind].chainIdMethod
  await using node = openAskedNode(upstream, options)
  const answer = await node.ask(method)
  if ('fault' in answer) return answer
  const chainId = readChainId(kind, answer.value)
  return chainId === undefined ? { fault: `its answer to ${method} is no chain id` } : { chainId }
}
