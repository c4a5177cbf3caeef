import { createReadStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { DevNodeError } from './error.ts'
import { adoptDump, dumpPath } from './state-file.ts'

/** Finds a block 0 in the text of a state, as anvil 1.7 orders its members. */
const genesis = /"number":"0x0","gasLimit":"\w+","gasUsed":"\w+","timestamp":"(0x[\da-f]+)"/g
/** More than the longest text that `genesis` matches. */
const overlap = 512

/**
 * Reads the time of each block 0 in a state file, in seconds since the Unix epoch. Anvil adds the block 0 that it begins
 * with to the one that it loads, so a file may hold several. Reads in chunks: a state may be longer than any string.
 */
export async function savedGenesisTimes(stateFile: string): Promise<readonly number[]> {
  const times: number[] = []
  let text = ''
  for await (const chunk of createReadStream(stateFile, 'latin1') as AsyncIterable<string>) {
    text += chunk
    let end = 0
    for (const match of text.matchAll(genesis)) {
      times.push(Number(match[1]))
      end = match.index + match[0].length
    }
    text = text.slice(Math.max(end, text.length - overlap))
  }
  return times
}

interface SavedBlock {
  readonly header: Readonly<Record<string, unknown>> & { readonly number: string; readonly timestamp: string }
}

/**
 * Removes every block 0 from a state file but `kept`, a block in the form of JSON-RPC; undefined keeps the oldest.
 * @throws DevNodeError `state_unreadable` if the file does not hold `kept` or is longer than a string can be.
 */
export async function keepOneGenesis(
  stateFile: string,
  kept: Readonly<Record<string, unknown>> | undefined,
): Promise<void> {
  let text = await readFile(stateFile, 'utf8').catch((cause: unknown) => {
    throw new DevNodeError('state_unreadable', `${stateFile} holds several blocks 0 and cannot be read`, { cause })
  })
  const { blocks } = JSON.parse(text) as { readonly blocks: readonly SavedBlock[] }
  const geneses = blocks.filter(({ header }) => header.number === '0x0').toSorted((a, b) => timeOf(a) - timeOf(b))
  const own = geneses.find(({ header }) => Object.entries(header).every(([name, value]) => isOf(kept, name, value)))
  if (own === undefined) throw brokenChain(stateFile)
  for (const other of geneses) {
    if (other === own) continue
    // Cut out of the text, as numbers elsewhere in it are longer than JSON.parse can hold.
    const cut = JSON.stringify(other)
    text = text.includes(`${cut},`) ? text.replace(`${cut},`, '') : text.replace(`,${cut}`, '')
  }
  await writeFile(dumpPath(stateFile), text)
  await adoptDump(stateFile)
}

/** Says that the saved blocks do not join. */
export function brokenChain(stateFile: string): DevNodeError {
  const message = `the chain in ${stateFile} is broken, as its block 1 does not name its block 0: restore it from a copy, or delete it to begin an empty chain`
  return new DevNodeError('state_unreadable', message)
}

function timeOf({ header }: SavedBlock): number {
  return Number(header.timestamp)
}

function isOf(block: Readonly<Record<string, unknown>> | undefined, name: string, value: unknown): boolean {
  return block === undefined || block[name] === value
}
