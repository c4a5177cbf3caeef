import { bases, CID } from 'multiformats/basics'
import type { IpfsPath } from '../backend.ts'
import { IpfsError } from '../error.ts'
import type { CommandOptions } from './options.ts'

const { identity: _, ...printable } = bases
const byPrefix = new Map(Object.values(printable).map((base) => [base.prefix as string, base]))
const maxPath = 16_384

/**
 * Reads `<cid>`, `<cid>/a/b`, `/ipfs/<cid>/a/b` or `ipfs://<cid>/a/b`, in Kubo's words where it is none: clients match on them.
 * Source: Kubo `core/commands/cmdutils/utils.go`, boxo `path/path.go`. Throws `bad_argument`.
 */
export function readIpfsPath(text: string): IpfsPath {
  if (text.length > maxPath) throw new IpfsError('bad_argument', `a path may have ${maxPath} characters`)
  const bare = text.replace(/^(ip[fn]s):\/\//, '/$1/')
  const path = readAbsolute(bare)
  if (typeof path !== 'string') return path
  const below = readAbsolute(`/ipfs/${bare}`)
  if (typeof below !== 'string') return below
  throw new IpfsError('bad_argument', `invalid path ${quoted(text)}: ${path}`)
}

/** A path that begins with its namespace, or why it is none. */
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

/** A CID in any base; undefined where it is none. */
function readCid(text: string): CID | undefined {
  try {
    const base = /^Qm|^1/.test(text) ? undefined : byPrefix.get(String.fromCodePoint(text.codePointAt(0)!))
    return base === undefined ? CID.parse(text) : CID.parse(text, base.decoder)
  } catch {
    return undefined
  }
}

/**
 * How the answers of a call write CIDs. `cid-base` names a base of version 1, and has CIDs of version 0 written as such, too, unless
 * that is their own base. Source: Kubo `core/commands/cmdenv/cidbase.go`. Throws `bad_argument`.
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

/** As Go quotes. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/\\u00(?=[01])/g, String.raw`\x`)
}
