import { bases, CID } from 'multiformats/basics'
import type { IpfsPath } from '../backend.ts'
import { IpfsError } from '../error.ts'
import type { Call } from './call.ts'
import type { CommandOptions } from './options.ts'

const { identity: _, ...printable } = bases
const byPrefix = new Map(Object.values(printable).map((base) => [base.prefix as string, base]))
const maxPath = 16_384

/**
 * Reads `<cid>`, `<cid>/a/b`, `/ipfs/<cid>/a/b`, `ipfs://<cid>/a/b` or `ipfs:<cid>/a/b`. Throws `bad_argument` in Kubo's words, since clients match
 * on them. Source: Kubo `core/commands/cmdutils/utils.go`, boxo `path/path.go`.
 */
export function readIpfsPath(text: string): IpfsPath {
  if (text.length > maxPath) throw new IpfsError('bad_argument', `a path may have ${maxPath} characters`)
  const bare = text.replace(/^(ip[fn]s|ipld):(?:\/\/)?/i, (_uri, namespace: string) => `/${namespace.toLowerCase()}/`)
  const path = readAbsolute(bare)
  if (typeof path !== 'string') return path
  const below = readAbsolute(`/ipfs/${bare}`)
  if (typeof below !== 'string') return below
  throw new IpfsError('bad_argument', `invalid path ${quoted(text)}: ${path}`)
}

/** Reads a path that begins with its namespace; returns the reason if the text is none. */
function readAbsolute(text: string): IpfsPath | string {
  const cleaned: string[] = []
  for (const segment of text.startsWith('/') ? text.split('/') : []) {
    if (segment === '..') cleaned.pop()
    else if (segment !== '' && segment !== '.') cleaned.push(segment)
  }
  const [namespace, root, ...segments] = cleaned
  if (namespace === undefined || root === undefined) return 'path does not have enough components'
  if (namespace === 'ipns') throw new IpfsError('unsupported', `${quoted(text)}: this service resolves no IPNS names`)
  if (namespace !== 'ipfs' && namespace !== 'ipld') return `unknown namespace: ${quoted(namespace)}`
  const cid = readCid(root)
  return cid === undefined
    ? 'invalid cid: expected one of version 0, or of version 1 in a multibase'
    : { cid, segments }
}

/** The base of a CID of version 1; undefined for one of version 0. */
function baseOf(text: string): (typeof printable)[keyof typeof printable] | undefined {
  return text === '' || /^Qm|^1/.test(text) ? undefined : byPrefix.get(String.fromCodePoint(text.codePointAt(0)!))
}

/** Reads a CID in any base; undefined if the text is none. */
function readCid(text: string): CID | undefined {
  try {
    const base = baseOf(text)
    return base === undefined ? CID.parse(text) : CID.parse(text, base.decoder)
  } catch {
    return undefined
  }
}

/** The CID at the end of a path. A path of a CID alone needs no block. */
export async function cidOf(call: Call, path: IpfsPath): Promise<CID> {
  if (path.segments.length === 0) return path.cid
  return (await call.wait(call.backend.resolve(path, call.backendCall))).cid
}

/** The CID at the end of a path that is given as text. Throws `bad_argument` as {@link readIpfsPath}. */
export async function cidAt(call: Call, text: string): Promise<CID> {
  return cidOf(call, readIpfsPath(text))
}

/**
 * Creates the function by which the answers of a call write CIDs. `cid-base` names a base for version 1; CIDs of version 0 are then
 * written as version 1 too, unless it is their own base. Source: Kubo `core/commands/cmdenv/cidbase.go`. Throws `bad_argument`.
 */
export function cidWriter(options: CommandOptions): (cid: CID) => string {
  const name = options.string('cid-base') ?? ''
  const base = Object.hasOwn(printable, name) ? printable[name as keyof typeof printable] : undefined
  if (name !== '' && base === undefined)
    throw new IpfsError('bad_argument', `unsupported multibase encoding: ${name.slice(0, 64)}`)
  const upgrade = options.bool('upgrade-cidv0-in-output') ?? (name !== '' && name !== 'base58btc')
  return (cid) => {
    if (cid.version === 0 && !upgrade) return cid.toString()
    return base === undefined ? cid.toV1().toString() : cid.toV1().toString(base.encoder)
  }
}

/**
 * Creates the same function where the answer is a path: without `cid-base`, it takes the base of the CID that the path `text` begins with.
 * Source: Kubo `core/commands/cmdenv/cidbase.go`.
 */
export function cidWriterLike(text: string, options: CommandOptions): (cid: CID) => string {
  const [, root = ''] = /^(?:ip[fn]s:\/)?\/*(?:ip(?:fs|ld)\/)?([^/]*)/.exec(text) ?? []
  const base = (options.string('cid-base') ?? '') === '' ? baseOf(root) : undefined
  return base === undefined ? cidWriter(options) : (cid) => cid.toV1().toString(base.encoder)
}

/** Quotes a text as Go does. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/\\u00(?=[01])/g, String.raw`\x`)
}
