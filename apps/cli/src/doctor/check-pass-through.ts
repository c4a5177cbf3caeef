import { chainCheckOf, hostOf, type NamedUpstream, namedUpstream, type NetworkConfig } from '@wayleave/gateway'
import { askUpstream } from './ask-upstream.ts'
import { type Check, fail, type Finding, ok } from './finding.ts'
import { remedyOf } from './remedies.ts'

/** Creates the check of a network whose nodes report no chain: each upstream is asked its chain check, or whether it is there. */
export function checkPassThrough(slug: string, network: NetworkConfig): Check {
  return {
    subject: `network ${slug}`,
    run: (signal) =>
      Promise.all(network.upstreams.map((upstream, i) => checkNode(slug, network, namedUpstream(upstream, i), signal))),
  }
}

async function checkNode(
  slug: string,
  network: NetworkConfig,
  upstream: NamedUpstream,
  signal: AbortSignal,
): Promise<Finding> {
  const chain = chainCheckOf(network)
  const subject = `upstream ${slug}/${upstream.name} (${hostOf(upstream.url)})`
  const { method, params = [] } = chain ?? { method: 'rpc.discover' }
  const reported = await askUpstream(upstream, method, params, signal)
  // Few nodes have rpc.discover, and an error is an answer, too.
  if ('fault' in reported && !(chain === undefined && reported.fault === 'error')) {
    return fail(`upstream_${reported.fault}`, subject, reported.text, remedyOf(reported))
  }
  if (chain === undefined || !('value' in reported)) return ok('upstream', subject, 'it answers; no chain check is set')
  const isText = typeof reported.value === 'string' || typeof reported.value === 'number'
  if (isText && String(reported.value) === String(chain.result))
    return ok('upstream', subject, `its ${method} is that of the chain`)
  const remedy = `give the URL of a node of the chain, or mend networks.${slug}.chain.result`
  return fail('chain_mismatch', subject, `its ${method} is not the answer that networks.${slug}.chain names`, remedy)
}
