import { cutParts, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'

/**
 * Finds the addresses in a call, for allowlists. Undefined: its method has no place for one. Empty: the call leaves open which, since it
 * brings code or storage to a listed contract, a program as its tracer, or params that the table lacks; or since nodes may read it in more
 * than one way: members that differ in case or stand twice, params by name where they have a place.
 */
export type AddressesOf = (request: RpcRequest) => readonly string[] | undefined

/** The methods of a family, as far as addresses are concerned. */
export type AddressFacts = Readonly<Record<string, Pick<MethodFacts[string], 'addressPaths' | 'paramNames'>>>

export interface AddressReaderOptions {
  /** Whether nodes take params by name, too. */
  readonly namedParams: boolean
}

/** Creates the reader of a family's table. A method that is not in it may read any address, and leaves it open. */
export function createAddressReader(facts: AddressFacts, { namedParams }: AddressReaderOptions): AddressesOf {
  const placesByMethod = new Map(Object.entries(facts).map(([method, fact]) => [method, placesOf(fact)]))
  return ({ method, params }) => {
    const places = placesByMethod.get(method)
    if (places === undefined) return placesByMethod.has(method) ? undefined : open
    if (params === undefined) return open
    const text = params.text().trim()
    const found: string[] = []
    const isArray = text.charCodeAt(0) === openBracket
    if (!isArray && !namedParams) return open
    const isClear = isArray
      ? readByIndex(text, places.byIndex, found)
      : read({ text, start: 0, end: text.length }, places.byName, deepest, found)
    if (!isClear) return open
    return places.hasAddresses ? found : undefined
  }
}

const open: readonly string[] = []
const openBracket = 0x5b
const openBrace = 0x7b
/** Arrays within arrays that are followed; a call has two at most. */
const deepest = 8

/** A place of a value that is an address, or has addresses somewhere inside. */
interface Place {
  isAddress: boolean
  /** Whether the names of an object's members are addresses. */
  isKeyed: boolean
  /** Whether it names the tracer of an execution. */
  isTracer: boolean
  /** Members that lead to addresses, by their folded names. */
  readonly members: Map<string, { readonly name: string; readonly place: Place }>
}

interface Places {
  /** Undefined: the param has no addresses. All further params are unknown to the table. */
  readonly byIndex: readonly (Place | undefined)[]
  /** The same for params by name. */
  readonly byName: Place
  /** False: only its tracer is of concern. */
  readonly hasAddresses: boolean
}

/** Joins the paths of a method; undefined where it has none. */
function placesOf({ addressPaths, paramNames = [] }: AddressFacts[string]): Places | undefined {
  const traced = paramNames.includes('options?') ? [`${paramNames.indexOf('options?')}.tracer`] : []
  if (addressPaths === undefined && traced.length === 0) return undefined
  const byIndex: (Place | undefined)[] = paramNames.map(() => undefined)
  const byName = newPlace()
  for (const path of [...(addressPaths ?? []), ...traced]) {
    const [index, ...steps] = path.split('.')
    const first = Number(index)
    const name = (paramNames[first] ?? '').replace('?', '')
    let place = memberPlace(byName, name)
    byIndex[first] = place
    for (const step of steps) {
      if (step === '*') place.isKeyed = true
      else place = memberPlace(place, step)
    }
    if (traced.includes(path)) place.isTracer = true
    else if (steps.at(-1) !== '*') place.isAddress = true
  }
  return { byIndex, byName, hasAddresses: addressPaths !== undefined }
}

function newPlace(): Place {
  return { isAddress: false, isKeyed: false, isTracer: false, members: new Map() }
}

function memberPlace({ members }: Place, name: string): Place {
  let member = members.get(folded(name))
  if (member === undefined) members.set(folded(name), (member = { name, place: newPlace() }))
  return member.place
}

/** Folds a name as nodes in Go do, which match members without case: the long `ſ` is an S to them, the sign for Kelvin a K. */
function folded(name: string): string {
  return name.toUpperCase().toLowerCase()
}

/** A value in a text. */
interface Part {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Adds the addresses of params in an array to `found`; false where a call is ambiguous, or leaves its address open. */
function readByIndex(text: string, places: Places['byIndex'], found: string[]): boolean {
  let isClear = true
  let i = 0
  cutParts(text, 0, (start, end) => {
    // Some nodes take overrides in further params.
    isClear &&= i < places.length
    const place = places[i++]
    if (place !== undefined) isClear &&= read({ text, start, end }, place, deepest, found)
  })
  return isClear
}

/** The same for a value. An array stands for each of its elements. */
function read(part: Part, place: Place, depth: number, found: string[]): boolean {
  const { text, start } = part
  const first = text.charCodeAt(start)
  if (first === openBracket) return depth > 0 && readElements(part, place, depth, found)
  if (place.isAddress) return readAddress(part, found)
  if (place.isTracer) return plainTracer.test(text.slice(start, part.end))
  return first === openBrace ? readMembers(part, place, depth, found) : true
}

/** The name of a tracer, but for geth's `muxTracer`, whose settings name others. Anything else may be a program that reads any account. */
const plainTracer = /^(?:null|"(?!mux)\w*")$/i

function readElements({ text, start: at }: Part, place: Place, depth: number, found: string[]): boolean {
  let isClear = true
  cutParts(text, at, (start, end) => {
    const isNull = place.isAddress && text.startsWith('null', start)
    isClear &&= !isNull && read({ text, start, end }, place, depth - 1, found)
  })
  return isClear
}

function readAddress({ text, start, end }: Part, found: string[]): boolean {
  const value: unknown = JSON.parse(text.slice(start, end))
  if (typeof value === 'string') found.push(value)
  return typeof value === 'string' || value === null
}

function readMembers({ text, start: at }: Part, place: Place, depth: number, found: string[]): boolean {
  const { isKeyed, members } = place
  /** Members that have come, each with whether it held an address. */
  const come = new Map<string, boolean>()
  let isClear = true
  cutParts(text, at, (start, end, key) => {
    if (isKeyed) {
      found.push(key)
      isClear &&= isHarmless(text, start)
    }
    const member = members.get(folded(key))
    if (member === undefined || !isClear) return
    const before = found.length
    isClear = key === member.name && !come.has(key) && read({ text, start, end }, member.place, depth, found)
    come.set(key, found.length > before)
  })
  return isClear && !leavesOpen(place, come)
}

/** Whether an override changes neither the code nor the storage of its account. A list of storage slots is none. */
function isHarmless(text: string, at: number): boolean {
  let isClear = true
  if (text.charCodeAt(at) === openBrace)
    cutParts(text, at, (_start, _end, key) => {
      isClear &&= key === 'balance' || key === 'nonce'
    })
  return isClear
}

/** A call without `to` runs code of its own; any other object that may name its contracts reads all of them without one. */
function leavesOpen({ members }: Place, come: ReadonlyMap<string, boolean>): boolean {
  const names = [...members.values()].filter(({ place }) => place.isAddress).map(({ name }) => name)
  if (names.length === 0) return false
  return names.includes('to') ? come.get('to') !== true : !names.some((name) => come.get(name) === true)
}
