import { IpfsError } from '../error.ts'
import { isCidText } from './cid-text.ts'
import type { IpfsBlockApi, IpfsCallOptions, IpfsClient, IpfsDagApi, VerifyMode } from './client.ts'
import type { Host } from './host.ts'
import { onePart } from './one-part.ts'

interface BlockSettings {
  readonly host: Host
  readonly verify: VerifyMode
  /** Makes the boundary of a multipart body, which no content holds. */
  readonly boundary: () => string
}

/** `IpfsClient.block`. */
export function createBlockApi({ host, boundary, ...settings }: BlockSettings): IpfsBlockApi {
  return {
    async get(cid, { verify = settings.verify, ...options } = {}) {
      const { getBlock } = await import('./verified/check-given.ts')
      return getBlock(host, cid, verify, options)
    },
    async put(bytes, { verify = settings.verify, format = 'raw', pin, ...options } = {}) {
      const body = onePart([bytes], boundary())
      const { cid, size } = statOf(await host.json('block/put', { 'cid-codec': format, pin }, options, body))
      if (verify === 'off') return { cid, size, verification: 'unverified' }
      const { checkPut } = await import('./verified/check-given.ts')
      return { cid, size, verification: await checkPut({ cid, size, format }, bytes, verify) }
    },
    async stat(cid, { verify = settings.verify, ...options } = {}) {
      if (verify === 'proven') {
        const { getBlock } = await import('./verified/check-given.ts')
        return { cid, size: (await getBlock(host, cid, verify, options)).byteLength, verification: 'proven' }
      }
      const stat = statOf(await host.json('block/stat', { arg: cid }, options))
      if (verify === 'consistent') (await import('./verified/same-cid.ts')).findCid([stat.cid], cid)
      return { ...stat, verification: 'unverified' }
    },
  }
}

/** `IpfsClient.dag`. */
export function createDagApi({ host, boundary }: BlockSettings): IpfsDagApi {
  return {
    get: (path, options) => host.json('dag/get', { arg: path }, options),
    async put(value, { pin, ...options } = {}) {
      const body = onePart([JSON.stringify(value)], boundary())
      const query = { 'input-codec': 'dag-json', 'store-codec': 'dag-cbor', pin }
      return linkOf(await host.json('dag/put', query, options, body))
    },
    async resolve(path, options) {
      const answer = await host.json<{ RemPath?: unknown } | null>('dag/resolve', { arg: path }, options)
      const { findCid } = await import('./verified/same-cid.ts')
      return { cid: findCid([linkOf(answer)], path), remainder: String(answer?.RemPath ?? '').replace(/^\//, '') }
    },
  }
}

/** `IpfsClient.version` and `IpfsClient.id`. */
export function createNodeApi(host: Host): Pick<IpfsClient, 'version' | 'id'> {
  const ask = async (call: 'version' | 'id', options?: IpfsCallOptions): Promise<Record<string, never>> => {
    const answer: unknown = await host.json(call, {}, options)
    if (answer === null || typeof answer !== 'object' || Array.isArray(answer)) throw invalid('what the host is')
    return answer as Record<string, never>
  }
  return { version: (options) => ask('version', options), id: (options) => ask('id', options) }
}

function statOf(answer: unknown): { cid: string; size: number } {
  const { Key: cid, Size: size } = (answer ?? {}) as { Key?: unknown; Size?: unknown }
  if (!isCidText(cid) || !Number.isSafeInteger(size) || (size as number) < 0) throw invalid('Key and Size')
  return { cid, size: size as number }
}

function linkOf(answer: unknown): string {
  const cid = (answer as { Cid?: { '/'?: unknown } } | null)?.Cid?.['/']
  if (!isCidText(cid)) throw invalid('Cid')
  return cid
}

function invalid(members: string): IpfsError {
  return new IpfsError('invalid_response', `expected an object with ${members}: is url that of an IPFS API?`)
}
