import type { ApiHost } from '../api.ts'

/** A host of the gas API, and the credentials for it. */
export interface GasHost {
  readonly url: string
  readonly apiKey: string | undefined
  readonly apiKeySecret: string | undefined
}

/** Names the host of a client's gas API: `gasUrl`, or its gateway. Undefined for a node, which has none. */
export function gasHostOf(
  { url, apiKey, apiKeySecret }: Pick<ApiHost, 'url' | 'apiKey' | 'apiKeySecret'>,
  gasUrl: string | undefined,
): GasHost | undefined {
  const { protocol, host, pathname, password } = new URL(url)
  const key = { apiKey, apiKeySecret: apiKeySecret ?? (password === '' ? undefined : decodeURIComponent(password)) }
  if (gasUrl !== undefined) return { url: gasUrl, ...key }
  if (apiKey === undefined) return undefined
  const secure = /^(https|wss):$/.test(protocol) ? 's' : ''
  return { url: `http${secure}://${host}${pathname.replace(/\/+$/, '')}`, ...key }
}
