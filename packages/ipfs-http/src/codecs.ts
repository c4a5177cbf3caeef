import * as dagCbor from '@ipld/dag-cbor'
import * as dagJson from '@ipld/dag-json'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import * as json from 'multiformats/codecs/json'
import { codecCodes } from './codec-codes.ts'
import { decodeJose, encodeJose } from './codecs-jose.ts'
import { IpfsError } from './error.ts'
import { encodeJson } from './json-text.ts'
import { compareBytes } from './compare-bytes.ts'

// The codes are in a file of their own, because browsers load them and none of the codecs.
export { codecCodes }

interface Codec {
  readonly name: string
  readonly code: number
  decode(bytes: Uint8Array): unknown
  encode(value: unknown): Uint8Array
}

const codecs: readonly Codec[] = [
  { name: 'raw', code: codecCodes.raw, decode: (bytes) => bytes, encode: asBytes },
  { name: 'dag-pb', code: codecCodes.dagPb, decode: dagPb.decode, encode: encodePb },
  { name: 'dag-cbor', code: codecCodes.dagCbor, decode: dagCbor.decode, encode: dagCbor.encode },
  { name: 'dag-jose', code: codecCodes.dagJose, decode: decodeJose, encode: encodeJose },
  { name: 'dag-json', code: codecCodes.dagJson, decode: decodeDagJson, encode: encodeDagJson },
  { name: 'json', code: codecCodes.json, decode: json.decode, encode: encodeJson },
]

const known = codecs.map(({ name }) => name).join(', ')

/** The code of a codec that {@link encodeNode} knows. @throws IpfsError `unsupported` */
export function codecCodeOf(name: string): number {
  return codecNamed(name).code
}

/** Decodes a block into the IPLD data model. @throws IpfsError `bad_content`, `unsupported` */
export function decodeBlock(cid: CID, bytes: Uint8Array): unknown {
  const codec = codecs.find(({ code }) => code === cid.code)
  if (codec === undefined) {
    throw new IpfsError('unsupported', `expected a block of ${known}, came ${cid} of codec 0x${cid.code.toString(16)}`)
  }
  try {
    return codec.decode(bytes)
  } catch (cause) {
    throw new IpfsError('bad_content', `block ${cid} is no ${codec.name}: ${messageOf(cause)}`, { cause })
  }
}

/**
 * Encodes a block, or the value at `path` inside it, in another codec. Source: Kubo RPC `/api/v0/dag/get`, `output-codec`.
 *
 * @throws IpfsError `bad_content`, `not_found` (nothing at this path), `unsupported` (a codec, or a value that the codec
 *   cannot express)
 */
export function convertNode(cid: CID, bytes: Uint8Array, path: readonly string[], outputCodec: string): Uint8Array {
  const output = codecNamed(outputCodec)
  let value = decodeBlock(cid, bytes)
  for (const segment of path) {
    value = stepInto(value, segment)
    if (value === undefined) throw noLink(segment, cid)
  }
  try {
    return output.encode(value)
  } catch (cause) {
    throw new IpfsError('unsupported', `this node cannot be ${output.name}: ${messageOf(cause)}`, { cause })
  }
}

/** Converts a block, or the value at `path` inside it, to the text of dag-json. Throws as {@link convertNode}. */
export function decodeNode(cid: CID, bytes: Uint8Array, path: readonly string[] = []): string {
  return new TextDecoder().decode(convertNode(cid, bytes, path, 'dag-json'))
}

/**
 * Converts bytes of another codec to the block that `/api/v0/dag/put` stores, always in the canonical form of
 * `storeCodec`. A number without fraction becomes an integer, even if it was written as a float.
 *
 * @throws IpfsError `bad_argument` (bytes that are not of `inputCodec`, or cannot be expressed in `storeCodec`), `unsupported`
 */
export function encodeNode(bytes: Uint8Array, inputCodec: string, storeCodec: string): Uint8Array {
  const [input, store] = [codecNamed(inputCodec), codecNamed(storeCodec)]
  let value: unknown
  try {
    value = input.decode(bytes)
  } catch (cause) {
    throw new IpfsError('bad_argument', `expected ${inputCodec}: ${messageOf(cause)}`, { cause })
  }
  try {
    return store.encode(value)
  } catch (cause) {
    throw new IpfsError('bad_argument', `this node cannot be ${storeCodec}: ${messageOf(cause)}`, { cause })
  }
}

/** Steps from a value inside a block to its member; undefined if there is none. Never looks into a link or into bytes. */
export function stepInto(value: unknown, segment: string): unknown {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d{0,9})$/.test(segment) ? value[Number(segment)] : undefined
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || CID.asCID(value)) return undefined
  return Object.hasOwn(value, segment) ? (value as Record<string, unknown>)[segment] : undefined
}

/** Yields every link inside a block's value, in its order. */
export function* linksIn(value: unknown): Generator<CID> {
  for (const each of scalarsIn(value)) {
    const cid = CID.asCID(each)
    if (cid !== null) yield cid
  }
}

/** Yields what lies in the maps and lists of a value, in its order. */
function* scalarsIn(value: unknown): Generator<unknown> {
  // A stack of its own, because a block may be nested deeper than calls can be.
  const pending = [value]
  while (pending.length > 0) {
    const each = pending.pop()
    const isWhole = typeof each !== 'object' || each === null || each instanceof Uint8Array || CID.asCID(each) !== null
    if (isWhole) {
      yield each
      continue
    }
    const members = Array.isArray(each) ? each : Object.values(each)
    for (let at = members.length - 1; at >= 0; at--) pending.push(members[at])
  }
}

/** The error for a path that leads nowhere, in Kubo's words. */
export function noLink(name: string, under: CID): IpfsError {
  return new IpfsError('not_found', `no link named ${JSON.stringify(name)} under ${under}`)
}

function codecNamed(name: string): Codec {
  const codec = codecs.find((each) => each.name === name)
  if (codec === undefined) throw new IpfsError('unsupported', `expected one of ${known}, came codec "${name}"`)
  return codec
}

/** Drops the space at the end, which each line of a shell has: the library refuses it behind a value that is no container. */
function decodeDagJson(bytes: Uint8Array): unknown {
  let end = bytes.length
  while (end > 0 && jsonSpaces.has(bytes[end - 1]!)) end--
  return withoutLongIntegers(dagJson.decode(bytes.subarray(0, end)))
}

function encodeDagJson(value: unknown): Uint8Array {
  return dagJson.encode(withoutLongIntegers(value))
}

/** Returns a value whose integers have 64 bits with their sign. Others, which dag-cbor has, Kubo neither reads nor writes. */
function withoutLongIntegers(value: unknown): unknown {
  for (const each of scalarsIn(value)) {
    if (typeof each === 'bigint' && BigInt.asIntN(64, each) !== each) {
      throw new RangeError(`${each} is out of range: expected an integer from -2^63 to 2^63-1`)
    }
  }
  return value
}

const jsonSpaces: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

function asBytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError('expected bytes')
  return value
}

/** Sorts the links by name, as Kubo does. Everything else must be a PBNode already. */
function encodePb(value: unknown): Uint8Array {
  const links = (value as { readonly Links?: unknown } | null)?.Links
  if (!Array.isArray(links)) throw new TypeError('expected {"Data": bytes, "Links": [{"Hash", "Name", "Tsize"}]}')
  const utf8 = new TextEncoder()
  const named = links.map((link: dagPb.PBLink) => ({ link, name: utf8.encode(link?.Name ?? '') }))
  const Links = named.toSorted((one, other) => compareBytes(one.name, other.name)).map(({ link }) => link)
  return dagPb.encode({ ...(value as dagPb.PBNode), Links })
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : 'it cannot be read'
}
