import type { AddEntry, ByteStream } from '../backend.ts'
import { IpfsError } from '../error.ts'
import { readWhole } from '../read-whole.ts'
import { fromGoMode } from '../unixfs/from-go-mode.ts'
import { type Part, readParts } from './multipart.ts'
import type { PartsOfCall } from './parts.ts'

/** The header of a part as Kubo reads it. Source: boxo `files/multipartfile.go`. */
interface PartHead {
  readonly path: string
  readonly type: AddEntry['type']
  readonly mode: number | undefined
  readonly mtime: AddEntry['mtime']
}

const maxHeaderBytes = 16_384
const maxLinkBytes = 4_096
/** Nanoseconds. */
const second = 1_000_000_000n

/** Reads the parts of an upload in their order. Each must be read before the next one is asked for. Throws what `parts` throws. */
export async function* readEntries(
  body: ByteStream,
  boundary: string,
  parts?: Pick<PartsOfCall, 'take'>,
): AsyncGenerator<AddEntry, void, undefined> {
  for await (const part of readParts(body, { boundary, maxParts: Number.POSITIVE_INFINITY, maxHeaderBytes })) {
    const { path, type, mode, mtime } = headOf(part)
    parts?.take(path.split('/').length)
    if (type === 'file') yield { type, path, mode, mtime, content: part.content }
    else if (type === 'symlink') yield { type, path, mode, mtime, target: await linkTarget(part.content) }
    else yield { type, path, mode, mtime }
  }
}

function headOf({ headers }: Part): PartHead {
  const disposition = parametersOf(headers.get('content-disposition') ?? '')
  const [contentType] = (headers.get('content-type') ?? '').split(';', 1)
  return {
    path: pathOf(extended(disposition.get('filename*')) ?? disposition.get('filename') ?? ''),
    type: typeOf(contentType!.trim().toLowerCase()),
    ...metadataOf(disposition.get('name') ?? ''),
  }
}

function typeOf(contentType: string): AddEntry['type'] {
  if (contentType === 'application/x-directory' || contentType === 'multipart/form-data') return 'directory'
  return contentType === 'application/symlink' ? 'symlink' : 'file'
}

/** The parameters of a `Content-Disposition`. In quoted texts, a backslash is removed only before a character that needs one. */
function parametersOf(disposition: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [, name, quoted, plain] of disposition.matchAll(
    /;\s*([^\s=;"]{1,64})\s*=\s*(?:"((?:\\[\s\S]|[^"\\])*)"|([^\s;"]*))/g,
  )) {
    const key = name!.toLowerCase()
    if (!found.has(key))
      found.set(key, quoted === undefined ? plain! : quoted.replaceAll(/\\([()<>@,;:\\"/[\]?=])/g, '$1'))
  }
  return found
}

/** The text of `UTF-8''caf%C3%A9` (RFC 8187 §3.2). */
function extended(parameter: string | undefined): string | undefined {
  const [, escaped] = /^utf-8'[^']*'(.*)$/i.exec(parameter ?? '') ?? []
  try {
    return escaped === undefined ? undefined : decodeURIComponent(escaped)
  } catch {
    return undefined
  }
}

/** A file name as a path inside the upload: escapes undone, `.`, `..` and empty segments resolved, never above the root. */
function pathOf(fileName: string): string {
  const segments: string[] = []
  for (const segment of unescaped(fileName).split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  const path = segments.join('/')
  if (path.includes('\0') || path.includes('\uFFFD')) throw badName()
  return path
}

/** Undoes escapes as in the value of a query; a text whose escapes are broken stays as it is. */
function unescaped(fileName: string): string {
  if (/%(?![0-9a-f]{2})/i.test(fileName)) return fileName
  try {
    return decodeURIComponent(fileName.replaceAll('+', ' '))
  } catch {
    throw badName()
  }
}

function badName(): IpfsError {
  return new IpfsError('bad_content', 'a file name holds bytes that are not UTF-8, or a zero byte')
}

/**
 * Mode and time after the `?` of a field name: `file?mode=0644&mtime=1700000000&mtime-nsecs=5`. As in Kubo, the mode is one of Go,
 * nanoseconds beyond a second are added to the seconds, and a missing time is the Unix epoch.
 */
function metadataOf(fieldName: string): Pick<PartHead, 'mode' | 'mtime'> {
  const at = fieldName.indexOf('?')
  if (at < 0) return { mode: undefined, mtime: undefined }
  const query = new URLSearchParams(fieldName.slice(at + 1))
  const mode = query.get('mode') ?? ''
  const secs = readInt64(query.get('mtime') ?? '0')
  return {
    mode: /^0*[0-3]?[0-7]{1,10}$/.test(mode) ? fromGoMode(Number.parseInt(mode, 8)) : undefined,
    mtime: secs === undefined ? undefined : timeOf(secs, readInt64(query.get('mtime-nsecs') ?? '') ?? 0n),
  }
}

function timeOf(secs: bigint, nsecs: bigint): AddEntry['mtime'] {
  if (nsecs === 0n) return { secs }
  const rest = ((nsecs % second) + second) % second
  return { secs: BigInt.asIntN(64, secs + (nsecs - rest) / second), nsecs: Number(rest) }
}

function readInt64(text: string): bigint | undefined {
  const number = /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace('+', '')) : undefined
  return number === undefined || number !== BigInt.asIntN(64, number) ? undefined : number
}

async function linkTarget(content: ByteStream): Promise<string> {
  const bytes = await readWhole(content, maxLinkBytes, `the target of a symlink may have ${maxLinkBytes} bytes`)
  return Buffer.from(bytes).toString('utf8')
}
