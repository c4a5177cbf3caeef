import { type Document, isCollection, isMap, isScalar, type Node, visit, type YAMLError } from 'yaml'
import type { IssuePath } from '@wayleave/jsonrpc-core/schema'

/** A reason why a text cannot be read, in words for a person that hold no piece of it. */
export interface SyntaxFault {
  /** The place in the text, from 0. */
  readonly offset: number
  readonly expected: string
  readonly got: string
  readonly hint?: string
  /** The member that stands twice. */
  readonly path?: IssuePath
}

/** Explains the first fault of a YAML text. */
export function yamlFault(text: string, document: Document.Parsed): SyntaxFault | undefined {
  const [error] = document.errors
  if (error === undefined) return undefined
  if (error.code === 'DUPLICATE_KEY') return duplicate(text, document, error.pos[0])
  const [at] = error.pos
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return { offset: at, expected: 'spaces at the beginning of a line', got: 'a tab' }
    case 'BAD_INDENT':
      return badIndent(text, document, error)
    case 'BLOCK_AS_IMPLICIT_KEY':
      return nested(text, document, error)
    case 'MULTILINE_IMPLICIT_KEY':
      return { offset: at, expected: 'a colon behind the name of a member', got: 'none in this line' }
    case 'MISSING_CHAR':
      return missing(text, document, error)
    case 'BAD_SCALAR_START':
      return { offset: at, expected: 'quotes around a text that begins with such a character', got: 'none' }
    case 'BAD_DQ_ESCAPE':
      return {
        offset: at,
        expected: 'an escape such as \\n or \\\\ in double quotes',
        got: 'another one',
        hint: 'in single quotes a backslash is a backslash',
      }
    case 'BAD_ALIAS':
      return { offset: at, expected: 'quotes around a text that begins with * or &', got: 'none' }
    case 'TAG_RESOLVE_FAILED':
      return { offset: at, expected: 'no tag (a word that begins with !)', got: 'one' }
    case 'MULTIPLE_DOCS':
      return { offset: at, expected: 'one document', got: 'a second one, after ---' }
    case 'UNEXPECTED_TOKEN':
      return {
        offset: at,
        expected: 'YAML',
        got: 'something out of place; look at the brackets, commas and quotes before it',
      }
    default:
      return { offset: at, expected: 'YAML', got: `bad syntax (${error.code})` }
  }
}

function badIndent(text: string, document: Document.Parsed, { message, pos: [at] }: YAMLError): SyntaxFault {
  const closing = /end with a ([}\]])$/.exec(message)?.[1]
  if (closing !== undefined) return { offset: at, expected: `a closing ${closing}, indented`, got: 'none' }
  const offset = nextWord(text, at)
  if (document.errors[1]?.message.startsWith('Implicit map keys')) {
    return {
      offset,
      expected: '- in front of an entry of a list, or a colon behind the name of a member',
      got: 'neither',
    }
  }
  const got = inColumn(text, offset)
  if (message.includes('mapping')) return { offset, expected: 'members of one object to begin in one column', got }
  if (message.includes('sequence')) return { offset, expected: 'entries of one list to begin in one column', got }
  return { offset, expected: 'another indentation', got }
}

/** A value that cannot stand where it does: behind another one, or in a line of its own below it. */
function nested(text: string, document: Document.Parsed, { message, pos: [at] }: YAMLError): SyntaxFault {
  if (message.includes('sequence')) {
    const offset = nextWord(text, at)
    return { offset, expected: 'entries of one list to begin in one column', got: inColumn(text, offset) }
  }
  if (document.errors.some(({ code }) => code === 'MULTILINE_IMPLICIT_KEY')) {
    const offset = nextWord(text, text.indexOf('\n', at))
    return {
      offset,
      expected: 'a member in the column of the one above, which has a value',
      got: inColumn(text, offset),
    }
  }
  return {
    offset: at,
    expected: 'one member a line',
    got: 'a second colon',
    hint: 'write a text with ": " in it in quotes, and members of members on lines of their own',
  }
}

function inColumn(text: string, offset: number): string {
  return `one in column ${offset - text.lastIndexOf('\n', offset - 1)}`
}

/** The first place from `at` on that is no white space. */
function nextWord(text: string, at: number): number {
  return at + /^\s*/.exec(text.slice(at))![0].length
}

function missing(text: string, document: Document.Parsed, { message, pos: [at] }: YAMLError): SyntaxFault {
  const quote = /^Missing closing (.)quote/.exec(message)?.[1]
  if (quote !== undefined) return { offset: startOf(document, at), expected: `a closing ${quote}`, got: 'none' }
  const bracket = /must end with a ([}\]])$/.exec(message)?.[1]
  if (bracket !== undefined) return { offset: at, expected: `a closing ${bracket}`, got: 'none' }
  if (message.startsWith('Implicit map keys'))
    return { offset: at, expected: 'a colon and a space behind the name of a member', got: 'none' }
  if (message.startsWith('Sequence item')) {
    const offset = nextWord(text, at)
    const expected = 'a member in the column of those above, or - in front of an entry of a list'
    return { offset, expected, got: inColumn(text, offset) }
  }
  if (message.startsWith('Missing ,')) return { offset: at, expected: 'a comma between two entries', got: 'none' }
  if (message.startsWith('Missing space')) return { offset: at, expected: 'a space behind the colon', got: 'none' }
  if (message.startsWith('Comments')) return { offset: at, expected: 'a space before #', got: 'none' }
  return { offset: at, expected: 'YAML', got: 'something out of place' }
}

/** The beginning of the text that ends at `at`. */
function startOf(document: Document.Parsed, at: number): number {
  let start = at
  visit(document, {
    Scalar(_, { range }) {
      if (range && range[0] < at && range[2] >= at) start = range[0]
    },
  })
  return start
}

/** Names the member that stands twice, and the line of the first one. */
export function duplicate(text: string, document: Document.Parsed, at: number): SyntaxFault {
  const found = findKey(document.contents, at, [])
  const line = found && text.slice(0, found.first).split('\n').length
  const got = line === undefined ? 'one that stands twice' : `it again, after line ${line}`
  return { offset: at, expected: 'each member once', got, ...(found && { path: found.path }) }
}

interface Found {
  readonly path: IssuePath
  /** The place of the first member of the name. */
  readonly first: number
}

function findKey(node: unknown, at: number, path: IssuePath): Found | undefined {
  if (!isCollection(node)) return undefined
  const entries = isMap(node)
    ? node.items.map(({ key, value }) => ({ name: isScalar(key) ? String(key.value) : '', key, value }))
    : node.items.map((value, i) => ({ name: i, key: undefined, value }))
  for (const { name, key, value } of entries) {
    const start = (key as Node | undefined)?.range?.[0]
    if (start === at) {
      const first = entries.find((entry) => entry.name === name)?.key as Node | undefined
      return { path: [...path, name], first: first?.range?.[0] ?? at }
    }
    const inner = findKey(value, at, [...path, name])
    if (inner !== undefined) return inner
  }
  return undefined
}

/** Explains the first fault of a JSON text, which is at `offset`. */
export function jsonFault(text: string, offset: number): SyntaxFault {
  const before = text.slice(0, offset).trimEnd().at(-1) ?? ''
  const at = text[offset]
  if (at === undefined) return { offset, expected: 'a closing bracket or quote', got: 'the end of the file' }
  if (at === "'") return { offset, expected: 'double quotes', got: 'single ones' }
  if (at === '/' || at === '#')
    return { offset, expected: 'no comment, as JSON has none', got: 'one', hint: 'YAML has comments' }
  if (before === ',' && /[}\]]/.test(at))
    return { offset, expected: `no comma in front of the closing ${at}`, got: 'one' }
  if (/[{,]/.test(before) && /[\w$]/.test(at))
    return { offset, expected: 'the name of a member in double quotes', got: 'none' }
  if (at === '"' || at === '{' || at === '[')
    return { offset, expected: 'a comma or a colon between two values', got: 'none' }
  if (at === '\n' || at === '\r') return { offset, expected: 'a text that ends in its line', got: 'a line break in it' }
  return { offset, expected: 'JSON', got: 'something out of place' }
}
