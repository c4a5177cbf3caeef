import type { Fault, UpstreamFault } from './faults.ts'

/** Names the thing to do about an upstream that gives no answer of a node. */
export function remedyOf({ fault, remedy }: Fault): string {
  return remedy ?? remedies[fault]
}

export const remedies: Readonly<Record<UpstreamFault, string>> = {
  unreachable: 'start the node, open its port to this machine, or mend the URL',
  untrusted: 'renew its certificate, or name its authority in tls.ca of this upstream, or in NODE_EXTRA_CA_CERTS',
  refused: 'mend the key in its URL or headers: the provider may have revoked it',
  limited: 'wait, raise the plan at the provider, or set a budget for this upstream',
  error: 'see whether the URL is that of the JSON-RPC API of a node of this kind',
  not_a_node: 'give the URL of the JSON-RPC API of a node',
}
