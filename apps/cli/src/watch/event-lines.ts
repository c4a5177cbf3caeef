import { styleText } from 'node:util'
import { type Exact, isRecord, printLeaf, readExact } from '../output/exact-json.ts'
import { noteOf } from '../output/note.ts'
import { oneLine } from '../output/visible.ts'

/** A column: its title, the path of the member that it shows, and its width on a terminal. */
type Column = readonly [title: string, path: string, width: number]

/** The columns of each kind of event. */
const columnsOf: Readonly<Record<string, readonly Column[]>> = {
  heads: [
    ['block', 'number', 10],
    ['hash', 'hash', 66],
    ['time', 'timestamp', 20],
  ],
  logs: [
    ['block', 'blockNumber', 10],
    ['log', 'logIndex', 5],
    ['address', 'address', 42],
    ['topics', 'topics', 66],
    ['data', 'data', 20],
  ],
  receipts: [
    ['block', 'blockNumber', 10],
    ['transaction', 'transactionHash', 66],
    ['status', 'status', 6],
    ['gas', 'gasUsed', 10],
  ],
  pending: [
    ['hash', 'hash', 66],
    ['from', 'from', 42],
    ['to', 'to', 42],
    ['value', 'value', 20],
  ],
  'starknet heads': [
    ['block', 'block_number', 10],
    ['hash', 'block_hash', 66],
    ['time', 'timestamp', 20],
  ],
  'starknet logs': [
    ['block', 'block_number', 10],
    ['address', 'from_address', 66],
    ['keys', 'keys', 66],
    ['data', 'data', 20],
  ],
  'starknet receipts': [
    ['block', 'block_number', 10],
    ['transaction', 'transaction_hash', 66],
    ['execution', 'execution_status', 10],
    ['finality', 'finality_status', 16],
  ],
  'starknet pending': [
    ['hash', 'transaction_hash', 66],
    ['type', 'type', 14],
    ['sender', 'sender_address', 66],
    ['finality', 'finality_status', 16],
  ],
  'starknet status': [
    ['hash', 'transaction_hash', 66],
    ['finality', 'status.finality_status', 16],
    ['execution', 'status.execution_status', 10],
  ],
}

/** Members that are printed as a person reads them: in decimal, in ether, as a time. */
const quantities = /number|index|timestamp|gasUsed|value|^status$/i

/** Prints events of a kind, each as lines that end with a line break. */
export interface EventLines {
  /** The titles of the columns, for a terminal; empty for a pipe. */
  readonly title: string
  /** Prints one event, given as JSON text. */
  print(event: string): string
}

/**
 * Prints the columns of a kind of event: aligned and shortened on a terminal, whole and apart by tabs on a pipe. A log that is taken
 * back, and a reorg, have a `-` before them, all else a `+`.
 */
export function eventLines(kind: string, stream: NodeJS.WriteStream): EventLines {
  const columns = columnsOf[kind]!
  const isTerminal = stream.isTTY

  function line(event: Exact): string {
    if (!isRecord(event)) return join('+', [printed(columns[0]![1], event)])
    const isGone = event['removed'] === true
    const cells = columns.map(([, path]) => printed(path, memberAt(event, path)))
    return join(isGone ? '-' : '+', cells)
  }

  function join(sign: string, cells: readonly string[]): string {
    const safe = cells.map(oneLine)
    if (!isTerminal) return `${[sign, ...safe].join('\t')}\n`
    const fitted = safe.map((cell, i) => fit(cell, columns[i]?.[2] ?? 20))
    const text = [sign, ...fitted].join('  ').trimEnd()
    return `${sign === '-' ? styleText('red', text, { stream }) : text}\n`
  }

  return {
    title: isTerminal
      ? `${styleText('bold', [' ', ...columns.map(([title, , width]) => title.padEnd(width))].join('  ').trimEnd(), { stream })}\n`
      : '',
    print(event) {
      const value = readExact(event)
      if (Array.isArray(value)) return (value as readonly Exact[]).map(line).join('')
      if (!isRecord(value) || typeof value['method'] !== 'string' || value['result'] === undefined) return line(value)
      if (value['method'] !== 'starknet_subscriptionReorg') return line(value['result'])
      const ends = ['starting', 'ending'].map((end) => printed('', memberAt(value['result']!, `${end}_block_number`)))
      return join('-', [ends.join('..'), 'blocks were replaced'])
    },
  }
}

function memberAt(value: Exact, path: string): Exact | undefined {
  let at: Exact | undefined = value
  for (const name of path.split('.')) at = at !== undefined && isRecord(at) ? at[name] : undefined
  return at
}

function printed(path: string, value: Exact | undefined): string {
  if (value === undefined || value === null) return '-'
  if (Array.isArray(value)) return value.length === 0 ? '-' : (value as readonly Exact[]).map(printLeaf).join(',')
  const text = printLeaf(value)
  return quantities.test(path) ? (noteOf(path, text) ?? text) : text
}

function fit(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width)
}
