import { type Client, type ClientOptions, createClient } from '@wayleave/client'
import { fetchMissed } from '@wayleave/client/events'
import { type CommandIo, UsageError } from '../command.ts'
import { devKey } from '../dev-project.ts'
import { schemeHint } from '../scheme-hint.ts'
import { type CallFlagValues, devUrl, givenUrl } from './call-flags.ts'

/** Opens a client for the URL of the flags or the environment, else for `devNetwork` of the local `wayleave dev`. @throws UsageError */
export function openClient(
  flags: CallFlagValues,
  env: CommandIo['env'],
  devNetwork?: string,
  listeners: Listeners = {},
): Client {
  const options = clientOptions(flags, env, devNetwork)
  return orUsage(flags, options.url, () => createClient({ ...options, ...listeners, resubscribe: fetchMissed }))
}

export type Listeners = Pick<ClientOptions, 'onReconnect'>

/** Reads the options of a client from the flags and the environment. @throws UsageError */
export function clientOptions(
  flags: CallFlagValues,
  env: CommandIo['env'],
  devNetwork: string | undefined,
): ClientOptions {
  const seconds = Number(flags.timeout)
  if (!(seconds > 0)) throw new UsageError(`--timeout: expected seconds above 0, got "${flags.timeout}"`)
  const given = givenUrl(flags, env)
  const target =
    given === undefined
      ? { url: devUrl, apiKey: devKey, network: flags.network ?? devNetwork }
      : splitGatewayUrl(given, flags.network)
  const { network, ...address } = target
  return { ...address, ...(network === undefined ? {} : { network }), timeoutMs: seconds * 1_000 }
}

/** Opens a client. @throws UsageError in place of what `open` throws */
export function orUsage<T>(flags: CallFlagValues, given: string | undefined, open: () => T): T {
  try {
    return open()
  } catch (thrown) {
    // None of these messages holds the URL.
    if (!(thrown instanceof Error)) throw thrown
    const place = flags['rpc-url'] === undefined ? '$WAYLEAVE_RPC_URL' : '--rpc-url'
    throw new UsageError(`${place}: ${thrown.message.replace(/^url: /, '')}${schemeHint(given)}`)
  }
}

interface GivenTarget {
  readonly url: string
  readonly apiKey?: string
  readonly network?: string | undefined
}

/**
 * Splits the URL of a gateway (`…/NETWORK/v3/KEY`) into base, key and network, so that the client can build its WebSocket
 * URL and the path of another network. Any other URL is a node's own.
 */
function splitGatewayUrl(given: string, network: string | undefined): GivenTarget {
  const url = URL.canParse(given) ? new URL(given) : undefined
  const match = /^((?:\/[^/]+)*?)(?:\/((?!ws\/v3\/)[^/]+))?(\/ws)?\/v3\/([^/]+)\/?$/.exec(url?.pathname ?? '')
  if (url === undefined || match === null || url.search !== '') {
    if (network !== undefined) throw new UsageError('--network: needs the URL of a gateway, which ends in /v3/KEY')
    return { url: given }
  }
  const [, below, inPath, socket, apiKey] = match
  const chosen = network ?? inPath
  if (socket !== undefined) {
    url.pathname = `${below}${chosen === undefined ? '' : `/${encodeURIComponent(chosen)}`}/ws/v3/${apiKey}`
    return { url: url.href }
  }
  url.pathname = below!
  return { url: url.href, apiKey: decode(apiKey!), network: chosen }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new UsageError('--rpc-url: expected its key percent-encoded as UTF-8')
  }
}
