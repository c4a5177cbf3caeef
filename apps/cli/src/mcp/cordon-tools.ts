import { boolean } from '@wayleave/jsonrpc-core/schema'
import { askAdmin } from '../accounts/ask-admin.ts'
import type { GatewayPlace } from '../accounts/gateway-place.ts'
import { oneLine } from '../output/visible.ts'
import { anyText, cut, exact, words } from './fields.ts'
import { readStatus, refusalOf } from './read-status.ts'
import { createTool, type Tool, type ToolAnswer } from './tool.ts'

const names = { network: words('the name of a network', 256), upstream: words('the name of its upstream', 256) }

const output = exact('the upstream after the change', {
  network: anyText,
  upstream: anyText,
  isCordoned: boolean,
  reported: anyText,
})

/** Both tools change which nodes are asked, so a host is to ask its user first. */
const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }

/** Creates the tool that has an upstream left alone. It refuses to take the last one that a network has. */
export function createCordonTool(place: GatewayPlace): Tool {
  return createTool({
    name: 'cordon',
    title: 'Cordon an upstream',
    description:
      'Has a Wayleave gateway leave an upstream alone, until uncordon; calls on their way go on. Refused for the last upstream of a network that works. It changes live traffic: ask the user first.',
    annotations,
    input: exact('an upstream and why', { ...names, reason: words('why, in 1 to 200 characters', 200) }),
    output,
    async run({ network, upstream, reason }, signal) {
      const status = await readStatus(place, network, signal)
      if ('fault' in status) return status
      const upstreams = status.networks.find(({ name }) => name === network)?.upstreams ?? []
      if (!upstreams.some(({ name, state }) => name !== upstream && state === 'ok')) {
        const known = upstreams.some(({ name }) => name === upstream)
        if (known)
          return { fault: `no other upstream of ${oneLine(network)} works: only an operator takes the last one` }
      }
      return change(place, 'cordon', { network, upstream }, { why: reason }, signal)
    },
  })
}

/** Creates the tool that has an upstream used again. */
export function createUncordonTool(place: GatewayPlace): Tool {
  return createTool({
    name: 'uncordon',
    title: 'Uncordon an upstream',
    description:
      'Has a Wayleave gateway use an upstream again that was cordoned, by an operator too. It changes live traffic: ask the user first.',
    annotations,
    input: exact('an upstream', names),
    output,
    run: ({ network, upstream }, signal) => change(place, 'uncordon', { network, upstream }, {}, signal),
  })
}

async function change(
  place: GatewayPlace,
  act: 'cordon' | 'uncordon',
  name: { readonly network: string; readonly upstream: string },
  further: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const query = new URLSearchParams({ ...name, ...further })
  const { status, body } = await askAdmin(place, 'POST', `/upstreams/${act}?${query}`, signal)
  if (status === 0) return { fault: body }
  if (status !== 200) return { fault: refusalOf(status, body, 'networks') }
  const reported = cut(oneLine(body.trim()))
  return { data: { ...name, isCordoned: act === 'cordon', reported }, text: reported }
}
