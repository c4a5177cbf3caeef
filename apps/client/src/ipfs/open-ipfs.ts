import { createIpfsClient, type IpfsClient, type VerifyMode } from '@wayleave/ipfs-http'
import type { ClientOptions } from '../options.ts'

/** The client options that the IPFS client needs. */
export type IpfsSetting = Pick<ClientOptions, 'url' | 'apiKey' | 'apiKeySecret' | 'ipfsUrl' | 'timeoutMs' | 'verify'>

/** The default port of a gateway's IPFS API. */
const defaultPort = '5001'

/**
 * Opens the client that `client.ipfs` calls. Credentials in `ipfsUrl` take precedence over the key.
 * @throws TypeError if the options name no host, IpfsError for an invalid URL
 */
export function openIpfs({ url, apiKey, apiKeySecret, ipfsUrl, timeoutMs, verify }: IpfsSetting): IpfsClient {
  const gateway = new URL(url)
  const password = gateway.password === '' ? undefined : decodeURIComponent(gateway.password)
  const key = { apiKey, apiKeySecret: apiKeySecret ?? (apiKey === undefined ? undefined : password) }
  if (ipfsUrl === undefined && (key.apiKey === undefined || key.apiKeySecret === undefined)) {
    throw new TypeError('ipfs: needs apiKey and apiKeySecret of a gateway, or the URL of another host as ipfsUrl')
  }
  const ownsCredentials = ipfsUrl !== undefined && /^\w+:\/\/[^/?#]*@/.test(ipfsUrl)
  return createIpfsClient({
    url: ipfsUrl ?? ipfsUrlOf(gateway),
    ...(ownsCredentials ? {} : key),
    timeoutMs,
    verify: levelOf(verify),
  })
}

/** Prints the IPFS URL on the gateway's host. */
function ipfsUrlOf({ protocol, hostname }: URL): string {
  return `${/^(https|wss):$/.test(protocol) ? 'https' : 'http'}://${hostname}:${defaultPort}`
}

/** Returns the level of the client's `verify`, which applies to content, too; undefined for a middleware. */
function levelOf(verify: IpfsSetting['verify']): VerifyMode | undefined {
  return typeof verify === 'object' ? verify.require : typeof verify === 'string' ? verify : undefined
}
