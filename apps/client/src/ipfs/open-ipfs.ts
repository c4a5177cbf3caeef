import { createIpfsClient, type IpfsClient, type VerifyMode } from '@wayleave/ipfs-http'
import type { IpfsSetting } from './ipfs-methods.ts'

/** What serves the IPFS API of a gateway, where nothing else is said. */
const defaultPort = '5001'

/**
 * The client that `client.ipfs` calls. Credentials in `ipfsUrl` go before the key.
 * @throws TypeError where the options name no host, IpfsError for a URL that is none
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
    url: ipfsUrl ?? besides(gateway),
    ...(ownsCredentials ? {} : key),
    timeoutMs,
    verify: levelOf(verify),
  })
}

/** The same host, its IPFS port. */
function besides({ protocol, hostname }: URL): string {
  return `${/^(https|wss):$/.test(protocol) ? 'https' : 'http'}://${hostname}:${defaultPort}`
}

/** Who asks for proofs of a node's answers means content, too; a middleware says nothing of it. */
function levelOf(verify: IpfsSetting['verify']): VerifyMode | undefined {
  return typeof verify === 'object' ? verify.require : typeof verify === 'string' ? verify : undefined
}
