import { bases, CID } from 'multiformats/basics'
import type { IpfsPath } from '../backend.ts'
import { IpfsError } from '../error.ts'
import type { CommandOptions } from './options.ts'

const { identity: _, ...printable } = bases
const byPrefix = new Map(Object.values(printable).map((base) => [base.prefix as string, base]))
const maxPath = 16_384

/** Reads `<cid>`, `<cid>/a/b`, `/ipfs/<cid>/a/b` or `ipfs://<cid>/a/b`. Throws `bad_argument`. */
export function readIpfsPath(text: string): IpfsPath {
  if (text.length > maxPath) throw new IpfsError('bad_argument', `a path may have ${maxPath} characters`)
  const bare = text.replace(/^(?:ipfs:\/\/|\/(?:ipfs|ipld)\/)/, '')
  if (bare.startsWith('/ipns/') || text.startsWith('ipns://')) {
    throw new IpfsError('unsupported', `${quoted(text)}: this service resolves no IPNS names`)
  }
  const [first, ...rest] = bare.split('/').filter((segment) => segment !== '' && segment !== '.')
  const cid = bare.startsWith('/') || first === undefined ? undefined : readCid(first)
  if (cid === undefined) {
    throw new IpfsError('bad_argument', `${invalid(text)}: expected a CID, or /ipfs/ and a CID`)
  }
  const segments: string[] = []
  for (const segment of rest) {
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) {
      throw new IpfsError('bad_argument', `${invalid(text)}: it leads above its CID`)
    }
  }
  return { cid, segments }
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
 * How the answers of a call write CIDs. `cid-base` names a base of version 1, and has CIDs of version 0 written as such, too, unless the
 * command is about blocks. Source: Kubo `core/commands/cmdenv/cidbase.go`. Throws `bad_argument`.
 */
export function cidWriter(options: CommandOptions, level: 'high' | 'low' = 'high'): (cid: CID) => string {
  const name = options.string('cid-base') ?? ''
  const base = Object.hasOwn(printable, name) ? printable[name as keyof typeof printable] : undefined
  if (name !== '' && base === undefined)
    throw new IpfsError('bad_argument', `unsupported multibase encoding: ${name.slice(0, 64)}`)
  const upgrade = options.bool('upgrade-cidv0-in-output') ?? (name !== '' && level === 'high')
  return (cid) => {
    if (cid.version === 0 && !upgrade) return cid.toString()
    return base === undefined ? cid.toV1().toString() : cid.toV1().toString(base.encoder)
  }
}

/** In Kubo's words, which clients match on. */
function invalid(text: string): string {
  return `invalid path ${quoted(text)}: path does not have enough components`
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
}
