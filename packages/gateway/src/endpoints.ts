import { type Clock, createHttpTransport, type HttpPort, streamAnswers } from '@wayleave/jsonrpc-core'
import { createWebSocketTransport, heartbeat } from '@wayleave/jsonrpc-core/websocket'
import type { VerificationLevel } from '@wayleave/evm-verify'
import type { MethodFacts, SubscriptionFacts } from '@wayleave/jsonrpc-core/schema'
import type { Endpoint } from '@wayleave/upstream'
import type { UpstreamConfig } from './config/config.ts'

/** An endpoint with what it holds open. */
export interface OpenEndpoint extends Endpoint {
  /** What its answers have to stand. */
  readonly verify: VerificationLevel
  close(): Promise<void>
}

export interface EndpointOptions {
  readonly http: HttpPort
  readonly facts: MethodFacts
  readonly maxResponseBytes: number
  /** Where the upstream does not say otherwise. Default `off`. */
  readonly verify?: VerificationLevel | undefined
  readonly clock: Clock
}

/** Makes the endpoint of one configured upstream; nothing is opened before its first call. */
export function createEndpoint(
  upstream: string | UpstreamConfig,
  index: number,
  options: EndpointOptions,
): OpenEndpoint {
  const {
    url: configured,
    name = `upstream-${index + 1}`,
    headers: further,
    verify = options.verify ?? 'off',
  } = typeof upstream === 'string' ? { url: upstream } : upstream
  const { url, headers } = splitCredentials(configured, further)
  if (url.startsWith('http')) {
    const handler = createHttpTransport({
      url,
      headers,
      http: options.http,
      answers: streamAnswers(),
      maxResponseBytes: options.maxResponseBytes,
      clock: options.clock,
    })
    return { name, handler, verify, carriesSubscriptions: false, close: async () => {} }
  }
  // Subscriptions have a connection of their own: what a call does to its connection must not cost them.
  const subscriptions = subscriptionFacts(options.facts)
  const settings = { url, headers, maxMessageBytes: options.maxResponseBytes, clock: options.clock }
  // A dead node pushes as little as a quiet one, and no call on this connection would find out.
  const method = Object.hasOwn(options.facts, 'starknet_chainId') ? 'starknet_chainId' : 'eth_chainId'
  const pushes = createWebSocketTransport({ ...settings, subscriptions, watch: heartbeat({ method }) })
  const calls = createWebSocketTransport(settings)
  return {
    name,
    verify,
    handler: (request, context) =>
      (Object.hasOwn(subscriptions, request.method) ? pushes : calls).handler(request, context),
    carriesSubscriptions: true,
    close: async () => void (await Promise.all([pushes.close(), calls.close()])),
  }
}

/** Moves `user:password@` out of a URL into the header it stands for; an `authorization` among `further` wins. */
export function splitCredentials(
  configured: string,
  further: Readonly<Record<string, string>> = {},
): { readonly url: string; readonly headers: Readonly<Record<string, string>> } {
  const url = new URL(configured)
  const credentials = `${decode(url.username)}:${decode(url.password)}`
  url.username = ''
  url.password = ''
  const isGiven = credentials === ':' || Object.keys(further).some((name) => name.toLowerCase() === 'authorization')
  if (isGiven) return { url: url.href, headers: further }
  return {
    url: url.href,
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}`, ...further },
  }
}

/** A percent sign that encodes nothing stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function subscriptionFacts(facts: MethodFacts): Readonly<Record<string, SubscriptionFacts>> {
  const opening = Object.entries(facts).flatMap(([method, { subscription }]) =>
    subscription === undefined ? [] : [[method, subscription] as const],
  )
  return Object.fromEntries(opening)
}
