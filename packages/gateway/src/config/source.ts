import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Document, isCollection, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import type { IssuePath } from '@wayleave/jsonrpc-core/schema'

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
}

/** The reason why a file cannot be read. It holds no piece of the text, which may have a secret in it. */
export interface Unreadable {
  readonly expected: string
  readonly got: string
  readonly place?: Place | undefined
}

/** Reads a `.ts`, `.mts`, `.js`, `.mjs`, `.yaml`, `.yml` or `.json` file. A program gives its default export. Never rejects. */
export async function readSource(file: string): Promise<Source | Unreadable> {
  const kind = extname(file)
  try {
    if (/^\.m?[jt]s$/.test(kind)) {
      const module = (await import(pathToFileURL(resolve(file)).href)) as { default?: unknown }
      return { value: module.default, placeOf: () => undefined }
    }
    if (kind === '.json') return readJson(await readFile(file, 'utf8'))
    if (kind === '.yaml' || kind === '.yml') return readYaml(await readFile(file, 'utf8'))
  } catch (thrown) {
    return { expected: 'a file that can be read', got: reasonOf(thrown) }
  }
  return { expected: 'a .ts, .js, .yaml or .json file', got: 'another one' }
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof SyntaxError) return 'bad syntax'
  if (thrown instanceof ReferenceError) return 'something that is used and not defined'
  if ((thrown as { code?: unknown } | undefined)?.code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return 'TypeScript, which Node runs from version 22.18 on'
  return thrown instanceof Error ? thrown.message.split('\n')[0]! : 'something thrown that is no Error'
}

function readYaml(text: string): Source | Unreadable {
  const { document, placeAt } = parse(text)
  const [error] = document.errors
  if (error !== undefined) {
    return { expected: 'a file that can be read', got: `bad syntax (${error.code})`, place: placeAt(error.pos[0]) }
  }
  try {
    return { value: document.toJS() as unknown, placeOf: (path) => placeIn(document, path, placeAt) }
  } catch {
    // Only two things can still fail: a text without quotes that begins with `*`, and aliases of aliases of aliases.
    return { expected: 'a file that can be read', got: 'an alias without its anchor, or too many of them' }
  }
}

function readJson(text: string): Source | Unreadable {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { expected: 'a file that can be read', got: 'bad syntax', place: placeInText(text, faultyAt(text)) }
  }
  // JSON is YAML, whose parser knows the place of each member.
  const { document, placeAt } = parse(text)
  const doubled = document.errors.find(({ code }) => code === 'DUPLICATE_KEY')
  if (doubled !== undefined) {
    return { expected: 'each member once', got: 'one that stands twice', place: placeAt(doubled.pos[0]) }
  }
  return { value, placeOf: (path) => placeIn(document, path, placeAt) }
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
  // With `silent`, a second document would be ignored.
  const document = parseDocument(text, { lineCounter, logLevel: 'error' })
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
