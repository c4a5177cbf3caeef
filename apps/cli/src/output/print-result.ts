import { styleText } from 'node:util'
import { type Exact, isRecord, leavesOf, printLeaf, readExact } from './exact-json.ts'
import { layOut } from './json-layout.ts'
import { noteOf } from './note.ts'
import { tableOf } from './table.ts'
import { oneLine, visible } from './visible.ts'

export interface ResultStyle {
  /** Whether to print one line of JSON, as it came. */
  readonly json: boolean
  /** The output: a terminal gets tables, notes and colour. */
  readonly stream: NodeJS.WriteStream
  /** Whether a terminal gets the length of a long list instead of its elements. */
  readonly brief?: boolean
}

/** The longest list that a brief terminal shows whole. */
const shortList = 3

/** Prints a result for the reader of `stream`, with a final line break; `method` tells the unit of a lone quantity. */
export function printResult(
  method: string,
  json: string,
  { json: wanted, stream, brief = false }: ResultStyle,
): string {
  if (wanted) return `${layOut(json, 0)}\n`
  const value = readExact(json)
  if (!stream.isTTY) return plainLines(value)
  const faint = (text: string): string => styleText('dim', text, { stream })
  const bold = (text: string): string => styleText('bold', text, { stream })
  if (value === null) return `null${nullNotes[method] === undefined ? '' : `  ${faint(nullNotes[method])}`}\n`
  if (Array.isArray(value) && value.length > 0 && value.every(isRecord)) return tableOf(value, { bold, faint })
  const shown = brief && isRecord(value) ? withoutLongLists(value) : value
  const rows = leavesOf(shown).map(
    ([path, text]) => [oneLine(path), path === '' ? visible(text) : oneLine(text)] as const,
  )
  const width = Math.max(...rows.map(([path]) => path.length))
  return rows
    .map(([path, text]) => {
      const note = path === '' ? loneNote(method, text) : (statusWords(path, text) ?? noteOf(lastName(path), text))
      const label = path === '' ? '' : `${bold(path.padEnd(width))}  `
      return `${label}${path === '' ? text : shortHex(text)}${note === undefined ? '' : `  ${faint(note)}`}\n`
    })
    .join('')
}

/** Explains a lone quantity; a balance in ether and in wei. */
function loneNote(method: string, text: string): string | undefined {
  const note = noteOf(method, text)
  return note?.endsWith(' ether') === true ? `${note}, ${BigInt(text)} wei` : note
}

/** Explains that a node answered `null`. */
const nullNotes: Readonly<Record<string, string>> = {
  eth_getTransactionByHash: 'the node knows no such transaction',
  eth_getTransactionReceipt: 'the transaction is not mined yet, or the node does not know it',
  eth_getBlockByHash: 'the node has no such block',
  eth_getBlockByNumber: 'the node has no such block',
  eth_getBlockReceipts: 'the node has no such block',
}

const statuses: Readonly<Record<string, string>> = { '0x1': 'succeeded', '0x0': 'reverted' }

/** Explains the status of a receipt. */
function statusWords(path: string, text: string): string | undefined {
  return path === 'status' ? statuses[text] : undefined
}

function withoutLongLists(value: { readonly [member: string]: Exact }): Exact {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]): [string, Exact] =>
      Array.isArray(member) && member.length > shortList
        ? [name, `${member.length} in all; --json shows them`]
        : [name, member],
    ),
  )
}

/** Prints for other programs: a lone value as it is, or a line for each leaf, with a tab after its path. */
function plainLines(value: Exact): string {
  if (!isRecord(value) && !Array.isArray(value)) return `${printLeaf(value)}\n`
  return leavesOf(value)
    .map(([path, text]) => (path === '' ? `${text}\n` : `${quoted(path)}\t${quoted(text)}\n`))
    .join('')
}

/** Quotes a text or a name with a line break or tab, which would look like another member. */
function quoted(text: string): string {
  return /[\n\r\t]/.test(text) ? JSON.stringify(text) : text
}

function lastName(path: string): string {
  return /([^.[\]]+)(?:\[\d+\])*$/.exec(path)?.[1] ?? path
}

/** Shortens long hex: a bloom filter or code would fill the screen. */
function shortHex(text: string): string {
  return /^0x[0-9a-f]{200,}$/i.test(text) ? `${text.slice(0, 66)}… (${text.length / 2 - 1} bytes)` : text
}
