import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Document, isCollection, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import type { IssuePath } from '@wayleave/jsonrpc-core/schema'
import { type FileBytes, fingerprintOf, readBounded } from '@wayleave/network/config'
import { duplicate, jsonFault, type SyntaxFault, yamlFault } from './syntax-faults.ts'

interface Place {
  /** From 1. */
  readonly line: number
  readonly column: number
}

/** The value of a file, and the places of its members. */
export interface Source {
  readonly value: unknown
  /** The place of a member, or else of the nearest one around it; undefined for a program. */
  readonly placeOf: (path: IssuePath) => Place | undefined
  /** Another one if the content is another. */
  readonly fingerprint: string
}

/** The reason why a file cannot be read. It holds no piece of the text, which may have a secret in it. */
export interface Unreadable {
  readonly expected: string
  readonly got: string
  readonly hint?: string
  readonly place?: Place | undefined
  /** The member that stands twice. */
  readonly path?: IssuePath
  readonly fingerprint: string
}

/**
 * Reads a `.ts`, `.mts`, `.js`, `.mjs`, `.yaml`, `.yml` or `.json` file of at most 16 MiB. A program gives its default export; it is run
 * once for each `generation`, has ten seconds, and stays in memory. Never rejects.
 */
export async function readSource(
  file: string,
  generation = 0,
  clock: Clock = systemClock,
): Promise<Source | Unreadable> {
  const kind = extname(file)
  const read = await readBounded(file)
  const fingerprint = fingerprintOf(read)
  return { ...(await parseSource(file, kind, read, generation, clock)), fingerprint }
}

/** Says what a system's code means. */
function inWords(fault: string): string {
  if (fault === 'ENOENT') return 'ENOENT: there is no such file'
  return fault === 'EACCES' ? 'EACCES: this user may not read it' : fault
}

/** Longest run of a program, in ms: one that waits for what never comes would keep all later reloads from their turn. */
const longestRunMs = 10_000

async function parseSource(
  file: string,
  kind: string,
  read: FileBytes,
  generation: number,
  clock: Clock,
): Promise<Parts> {
  const isProgram = /^\.m?[jt]s$/.test(kind)
  const isYaml = kind === '.yaml' || kind === '.yml'
  if (!isProgram && !isYaml && kind !== '.json')
    return { expected: 'a .ts, .js, .yaml or .json file', got: 'another one' }
  if ('fault' in read) return { expected: 'a file that can be read', got: inWords(read.fault) }
  if (!isProgram) return readText(read.bytes, isYaml ? readYaml : readJson)
  const path = resolve(file)
  const query = generation === 0 ? '' : `?generation=${generation}`
  let stop = (): void => {}
  const late = new Promise<Parts>((resolveLate) => {
    const expected = `a program that ends within ${longestRunMs / 1_000} s`
    stop = clock.after(longestRunMs, () => resolveLate({ expected, got: 'one that still waits' }))
  })
  return Promise.race([runProgram(path, query), late]).finally(stop)
}

/** Reads a text in UTF-8, with a byte order mark in front of it or not. */
function readText(bytes: Buffer, readParts: (text: string) => Parts): Parts {
  try {
    return readParts(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown
    return { expected: 'a text in UTF-8', got: 'other bytes', hint: 'save it as UTF-8' }
  }
}

async function runProgram(path: string, query: string): Promise<Parts> {
  try {
    const module = (await import(`${pathToFileURL(path).href}${query}`)) as { default?: unknown }
    return { value: module.default, placeOf: () => undefined }
  } catch (thrown) {
    const hint = 'run it by node, which tells more'
    return { expected: 'a program that runs', got: reasonOf(thrown), hint, place: placeOfSyntax(thrown, path) }
  }
}

/** Finds the place of a wrong syntax in this program, not in one that it imports. Node tells it of TypeScript alone. */
function placeOfSyntax(thrown: unknown, path: string): Place | undefined {
  if (!(thrown instanceof SyntaxError) || thrown.stack?.startsWith(`${path}:`) !== true) return undefined
  const line = /^(\d+)\n/.exec(thrown.stack.slice(path.length + 1))?.[1]
  const before = /\n( *)\^+\n/.exec(thrown.stack)?.[1] ?? ''
  return line === undefined ? undefined : { line: Number(line), column: before.length + 1 }
}

type Parts = Omit<Source, 'fingerprint'> | Omit<Unreadable, 'fingerprint'>

/** Tells why a program, or a member of its value, could not be read. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof SyntaxError) return 'bad syntax'
  if (thrown instanceof ReferenceError) return 'something that is used and not defined'
  if ((thrown as { code?: unknown } | undefined)?.code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return 'TypeScript, which Node runs from version 22.18 on'
  return thrown instanceof Error ? thrown.message.split('\n')[0]! : 'something thrown that is no Error'
}

function readYaml(text: string): Parts {
  const { document, placeAt } = parse(text)
  const fault = yamlFault(text, document)
  if (fault !== undefined) return unreadable(fault, placeAt)
  try {
    return { value: document.toJS() as unknown, placeOf: (path) => placeIn(document, path, placeAt) }
  } catch {
    // Only two things can still fail: a text without quotes that begins with `*`, and aliases of aliases of aliases.
    return {
      expected: 'a file that can be read',
      got: 'an alias without its anchor, or too many of them',
      hint: 'write a text that begins with * in quotes',
    }
  }
}

function readJson(text: string): Parts {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return unreadable(jsonFault(text, faultyAt(text)), (offset) => placeInText(text, offset))
  }
  // JSON is YAML, whose parser knows the place of each member.
  const { document, placeAt } = parse(text)
  const doubled = document.errors.find(({ code }) => code === 'DUPLICATE_KEY')
  if (doubled !== undefined) return unreadable(duplicate(text, document, doubled.pos[0]), placeAt)
  return { value, placeOf: (path) => placeIn(document, path, placeAt) }
}

function unreadable({ offset, ...words }: SyntaxFault, placeAt: Parsed['placeAt']): Parts {
  return { ...words, place: placeAt(offset) }
}

/** Finds the first wrong character: it follows the longest beginning that only lacks its end. */
function faultyAt(text: string): number {
  let [right, wrong] = [0, text.length + 1]
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1
    if (lacksItsEnd(text.slice(0, middle))) right = middle
    else wrong = middle
  }
  return right
}

function lacksItsEnd(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (thrown) {
    const { message } = thrown as SyntaxError
    return /end of JSON|Unterminated/.test(message) || Number(/at position (\d+)/.exec(message)?.[1]) === text.length
  }
}

function placeInText(text: string, offset: number): Place {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length, column: lines.at(-1)!.length + 1 }
}

interface Parsed {
  readonly document: Document.Parsed
  readonly placeAt: (offset: number) => Place
}

function parse(text: string): Parsed {
  const lineCounter = new LineCounter()
  // With `silent`, a second document would be ignored. `merge` reads `<<`.
  const document = parseDocument(text, { lineCounter, logLevel: 'error', merge: true, prettyErrors: false })
  const placeAt = (offset: number): Place => {
    const { line, col } = lineCounter.linePos(offset)
    return { line, column: col }
  }
  return { document, placeAt }
}

/** The place of a scalar is its own; that of a list or a map is that of its name. */
function placeIn(document: Document.Parsed, path: IssuePath, placeAt: Parsed['placeAt']): Place {
  let node: unknown = document.contents
  let offset = offsetOf(node) ?? 0
  for (const step of path) {
    if (!isCollection(node)) break
    const pair = isMap(node)
      ? node.items.find(({ key }) => (isScalar(key) ? key.value : key) === step)
      : { key: undefined, value: node.items[Number(step)] }
    if (pair === undefined) break
    node = pair.value
    offset = (isScalar(node) || pair.key === undefined ? offsetOf(node) : offsetOf(pair.key)) ?? offset
  }
  return placeAt(offset)
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}
