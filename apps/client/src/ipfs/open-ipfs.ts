import { createIpfsClient, type IpfsClient, IpfsError, type VerifyMode } from '@wayleave/ipfs-http'
import type { Bearer } from '../credentials/bearer.ts'
import type { ApiHost } from '../api.ts'

/** The parts of a client that its IPFS API needs. */
export interface IpfsSetting extends Pick<ApiHost, 'url' | 'apiKey' | 'apiKeySecret' | 'timeoutMs'> {
  readonly ipfsUrl: string | undefined
  readonly verify: VerifyMode | undefined
}

/** The default port of a gateway's IPFS API. */
const defaultPort = '5001'

/** An IPFS client, and what has to be waited for before each of its calls. */
export interface OpenIpfs {
  readonly client: IpfsClient
  /** Waits for a JWT, where calls carry one. @throws IpfsError `connect` where none can be had */
  ready(): Promise<void>
}

/**
 * Opens the client that an IPFS API calls. Credentials in `ipfsUrl` take precedence over the key.
 * @throws TypeError if the options name no host, IpfsError for an invalid URL
 */
export function openIpfs(setting: IpfsSetting, bearer: Bearer | undefined): OpenIpfs {
  const { url, apiKey, apiKeySecret, ipfsUrl, timeoutMs, verify } = setting
  const gateway = new URL(url)
  const password = gateway.password === '' ? undefined : decodeURIComponent(gateway.password)
  const key = { apiKey, apiKeySecret: apiKeySecret ?? (apiKey === undefined ? undefined : password) }
  const hasBoth = apiKey !== undefined && (key.apiKeySecret !== undefined || bearer !== undefined)
  if (ipfsUrl === undefined && !hasBoth) {
    throw new TypeError('ipfs: needs apiKey, and apiKeySecret or token, of a gateway, or another host: ipfs({ url })')
  }
  const ownsCredentials = ipfsUrl !== undefined && /^\w+:\/\/[^/?#]*@/.test(ipfsUrl)
  const common = { url: ipfsUrl ?? ipfsUrlOf(gateway), timeoutMs, verify }
  if (ownsCredentials) return { client: createIpfsClient(common), ready: async () => {} }
  if (bearer === undefined || apiKey === undefined) {
    return { client: createIpfsClient({ ...common, ...key }), ready: async () => {} }
  }
  return {
    client: createIpfsClient({ ...common, headers: { 'x-api-key': apiKey }, fetch: bearer.fetch }),
    async ready() {
      try {
        await bearer.take()
      } catch (thrown) {
        const { message, cause } = thrown as Error
        throw new IpfsError('connect', message, { cause })
      }
    },
  }
}

/** Prints the IPFS URL on the gateway's host. */
function ipfsUrlOf({ protocol, hostname }: URL): string {
  return `${/^(https|wss):$/.test(protocol) ? 'https' : 'http'}://${hostname}:${defaultPort}`
}
