import * as dagCbor from '@ipld/dag-cbor'
import { base64url } from 'multiformats/bases/base64'
import { CID } from 'multiformats/cid'

type Members = Readonly<Record<string, unknown>>
/** The members of an object: base64url text that is bytes in the block, anything, or a list of objects. */
interface Shape {
  readonly [name: string]: 'bytes' | 'any' | Shape
}

const recipient: Shape = { header: 'any', encrypted_key: 'bytes' }
const signature: Shape = { header: 'any', protected: 'bytes', signature: 'bytes' }
const jwe: Shape = {
  aad: 'bytes',
  ciphertext: 'bytes',
  iv: 'bytes',
  protected: 'bytes',
  recipients: recipient,
  tag: 'bytes',
  unprotected: 'any',
}
const jws: Shape = { payload: 'bytes', signatures: signature }
const required: ReadonlyMap<Shape, string> = new Map([
  [jwe, 'ciphertext'],
  [jws, 'payload'],
  [signature, 'signature'],
])

/**
 * Decodes a signed or encrypted JOSE object; a signed one gets the `link` that its payload is. Source: IPLD, DAG-JOSE.
 * @throws TypeError
 */
export function decodeJose(block: Uint8Array): unknown {
  const { link, ...node } = membersOf(dagCbor.decode(block))
  if (node['ciphertext'] !== undefined && link === undefined) return converted(node, jwe, textOf)
  if (link !== undefined && CID.asCID(link) === null) throw new TypeError('expected link to be a CID')
  const signed = converted(node, jws, textOf)
  return { link: link ?? CID.decode(bytesOf(signed['payload'])), ...signed }
}

/**
 * Encodes a JOSE object in its general form, from that or the flattened one. Members beside it are left out.
 * @throws TypeError
 */
export function encodeJose(value: unknown): Uint8Array {
  const node = membersOf(value)
  if (node['ciphertext'] !== undefined) {
    return dagCbor.encode(converted(general(node, jwe, 'recipients'), jwe, bytesOf))
  }
  if (node['payload'] === undefined) throw new TypeError('invalid JOSE object: expected a ciphertext or a payload')
  const object = converted(general(node, jws, 'signatures'), jws, bytesOf)
  try {
    CID.decode(object['payload'] as Uint8Array)
  } catch (cause) {
    throw new TypeError('payload is not a valid CID', { cause })
  }
  return dagCbor.encode(object)
}

/** The general form of an object: members of a flattened one move into its `list`. */
function general(node: Members, shape: Shape, list: string): Members {
  const known = picked(node, Object.keys(shape))
  const flat = picked(node, Object.keys(shape[list] as Shape))
  const [name] = Object.keys(flat)
  if (node[list] !== undefined) {
    if (name !== undefined) throw new TypeError(`expected ${name} within ${list}`)
    return known
  }
  return name === undefined && shape === jwe ? known : { ...known, [list]: [flat] }
}

function picked(node: Members, names: readonly string[]): Members {
  return Object.fromEntries(names.filter((name) => node[name] !== undefined).map((name) => [name, node[name]]))
}

function converted(node: Members, shape: Shape, convert: (value: unknown) => unknown): Members {
  const needed = required.get(shape)
  if (needed !== undefined && node[needed] === undefined) throw new TypeError(`expected a member ${needed}`)
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => {
      const kind = Object.hasOwn(shape, name) ? shape[name]! : undefined
      if (kind === undefined) throw new TypeError(`a JOSE object has no member ${JSON.stringify(name)}`)
      if (kind === 'any') return [name, value]
      if (kind === 'bytes') return [name, convert(value)]
      if (!Array.isArray(value)) throw new TypeError(`expected ${name} to be a list`)
      return [name, value.map((each) => converted(membersOf(each), kind, convert))]
    }),
  )
}

function membersOf(value: unknown): Members {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  if (!isMap || CID.asCID(value) !== null) throw new TypeError('expected a JOSE object')
  return value as Members
}

/** Reads bytes, or the base64url text that stands for them. */
function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  if (typeof value !== 'string' || !/^[\w-]*$/.test(value))
    throw new TypeError('expected text in base64url without padding')
  return base64url.baseDecode(value)
}

function textOf(value: unknown): string {
  return base64url.baseEncode(bytesOf(value))
}
