import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'

/** Content, and the CID that Kubo gives it with a profile. */
export interface ProfileVector {
  readonly name: string
  readonly profile: 'unixfs-v0-2015' | 'unixfs-v1-2025'
  readonly query: Readonly<Record<string, string>>
  readonly zeros?: number
  readonly directory?: { readonly path: string; readonly count: number; readonly longer: number }
  readonly cid: string
  readonly size: string
}

const url = new URL('../../../../packages/ipfs-http/test/vectors/unixfs-profiles.json', import.meta.url)

/** The vectors of the package; the file says what its members mean. */
export const profileVectors = (JSON.parse(readFileSync(url, 'utf8')) as { readonly cases: readonly ProfileVector[] })
  .cases

/** The paths and bytes of a vector's files. */
export function contentOf({
  zeros = 0,
  directory,
}: ProfileVector): readonly (readonly [path: string, content: Uint8Array<ArrayBuffer>])[] {
  if (directory === undefined) return [['file', new Uint8Array(zeros)]]
  const { path, count, longer } = directory
  return Array.from({ length: count }, (_, at) => {
    return [`${path}/${`${at}`.padStart(at < longer ? 51 : 50, '-')}`, new Uint8Array(0)]
  })
}

/** Adds the content of a vector as a plain HTTP client does. Returns what the last line says. */
export async function addContent(
  host: string,
  vector: ProfileVector,
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly cid: string; readonly size: string }> {
  const body = new FormData()
  for (const [path, content] of contentOf(vector)) body.append('file', new Blob([content]), encodeURIComponent(path))
  const asked = new URLSearchParams({ pin: 'false', ...query, ...vector.query })
  const response = await fetch(`${host}/api/v0/add?${asked}`, { method: 'POST', headers, body })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${text}`)
  const last = JSON.parse(text.trim().split('\n').at(-1)!) as { readonly Hash: string; readonly Size: string }
  return { cid: last.Hash, size: last.Size }
}

/** Asks a host for the CID of a file, without any option that decides it. */
export async function hashByDefaults(host: string, content: AsyncIterable<Uint8Array>): Promise<string> {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n\r\n'
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(head)
    yield* content
    yield Buffer.from('\r\n--b--\r\n')
  }
  const response = await fetch(`${host}/api/v0/add?only-hash=true`, {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    body: Readable.toWeb(Readable.from(body())),
    duplex: 'half',
  } as RequestInit)
  return (JSON.parse(await response.text()) as { readonly Hash: string }).Hash
}
