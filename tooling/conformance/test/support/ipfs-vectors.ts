import { createCipheriv, createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

interface Content {
  readonly text?: string
  readonly b64?: string
  readonly repeat?: readonly [string, number]
  readonly zeros?: number
  readonly chacha?: readonly [string, number]
}

export interface FileVector {
  readonly name: string
  readonly content: Content
  readonly query: Readonly<Record<string, string>>
  /** Null where only the size is known. */
  readonly cid: string | null
  readonly size?: string
  readonly large?: boolean
}

export interface DirectoryVector {
  readonly name: string
  readonly files: readonly (readonly [string, Content])[] | { readonly generate: string }
  readonly query: Readonly<Record<string, string>>
  readonly entries: Readonly<Record<string, string>>
  readonly sizes?: Readonly<Record<string, string>>
}

const url = new URL('../../../../packages/ipfs-http/test/vectors/cid-vectors.json', import.meta.url)

/** What Kubo makes of content; the file says where that is from. */
export const vectors = JSON.parse(readFileSync(url, 'utf8')) as {
  readonly files: readonly FileVector[]
  readonly directories: readonly DirectoryVector[]
}

/** A host of the IPFS API. */
export interface IpfsHost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

interface Line {
  readonly Name: string
  readonly Hash: string
  readonly Size: string
}

function bytesOf({ text, b64, repeat, zeros, chacha }: Content): Buffer<ArrayBuffer> {
  if (b64 !== undefined) return Buffer.from(b64, 'base64')
  if (repeat !== undefined) return Buffer.from(repeat[0].repeat(repeat[1]))
  if (zeros !== undefined) return Buffer.alloc(zeros)
  if (chacha === undefined) return Buffer.from(text ?? '')
  const key = createHash('sha256').update(chacha[0]).digest()
  return Buffer.from(createCipheriv('chacha20', key, Buffer.alloc(16)).update(Buffer.alloc(chacha[1])))
}

/** Uploads as a plain HTTP client does: a part a file, its path URL-encoded. */
async function add(
  { url: host, headers }: IpfsHost,
  files: readonly (readonly [string, Content])[],
  query: Readonly<Record<string, string>>,
): Promise<readonly Line[]> {
  const body = new FormData()
  for (const [path, content] of files) body.append('file', new Blob([bytesOf(content)]), encodeURIComponent(path))
  const response = await fetch(`${host}/api/v0/add?${new URLSearchParams(query)}`, { method: 'POST', headers, body })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${text}`)
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
}

/** What a host makes of a file, beside what the vector says; the content comes back unchanged. */
export async function compareFile(
  host: IpfsHost,
  { content, query, cid, size }: FileVector,
): Promise<{ readonly reported: object; readonly expected: object; readonly isSame: boolean }> {
  const lines = await add(host, [['file', content]], query)
  const { Hash: hash, Size: reported } = lines.at(-1)!
  const response = await fetch(`${host.url}/api/v0/cat?arg=${hash}`, { method: 'POST', headers: host.headers })
  const back = Buffer.from(await response.arrayBuffer())
  return {
    reported: { ...(cid !== null && { cid: hash }), ...(size !== undefined && { size: reported }) },
    expected: { ...(cid !== null && { cid }), ...(size !== undefined && { size }) },
    isSame: back.equals(bytesOf(content)),
  }
}

/** What a host makes of a directory, beside what the vector says. */
export async function compareDirectory(
  host: IpfsHost,
  vector: DirectoryVector,
): Promise<{ readonly reported: object; readonly expected: object }> {
  const files = Array.isArray(vector.files)
    ? (vector.files as readonly (readonly [string, Content])[])
    : Array.from({ length: 1005 }, (_, i) => [`test-folder/${i}`, { text: `some content ${i}` }] as const)
  const lines = await add(host, files, vector.query)
  const line = (path: string): Line | undefined => lines.find(({ Name: name }) => name === path)
  const { entries, sizes = {} } = vector
  return {
    reported: {
      entries: Object.fromEntries(Object.keys(entries).map((path) => [path, line(path)?.Hash])),
      sizes: Object.fromEntries(Object.keys(sizes).map((path) => [path, line(path)?.Size])),
    },
    expected: { entries, sizes },
  }
}
