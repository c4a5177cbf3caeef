import { IpfsError } from '../error.ts'
import type { IpfsBlockApi, IpfsDagApi, VerifyMode } from './client.ts'
import type { Host, HostBody } from './host.ts'

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
      const body = bodyOf(bytes, boundary())
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
      const body = bodyOf(JSON.stringify(value), boundary())
      const query = { 'input-codec': 'dag-json', 'store-codec': 'dag-cbor', pin }
      return linkOf(await host.json('dag/put', query, options, body))
    },
    async resolve(path, options) {
      const answer = await host.json<{ RemPath?: unknown } | null>('dag/resolve', { arg: path }, options)
      return { cid: linkOf(answer), remainder: String(answer?.RemPath ?? '').replace(/^\//, '') }
    },
  }
}

function bodyOf(content: string | Uint8Array, boundary: string): HostBody {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename=""\r\n`
  const type = 'Content-Type: application/octet-stream\r\n\r\n'
  const parts = [head, type, content as BlobPart, `\r\n--${boundary}--\r\n`]
  return { type: `multipart/form-data; boundary=${boundary}`, content: new Blob(parts) }
}

function statOf(answer: unknown): { cid: string; size: number } {
  const { Key: cid, Size: size } = (answer ?? {}) as { Key?: unknown; Size?: unknown }
  if (typeof cid !== 'string' || !Number.isSafeInteger(size) || (size as number) < 0) throw invalid('Key and Size')
  return { cid, size: size as number }
}

function linkOf(answer: unknown): string {
  const cid = (answer as { Cid?: { '/'?: unknown } } | null)?.Cid?.['/']
  if (typeof cid !== 'string') throw invalid('Cid')
  return cid
}

function invalid(members: string): IpfsError {
  return new IpfsError('invalid_response', `expected an object with ${members}: is url that of an IPFS API?`)
}
