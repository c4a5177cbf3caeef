/** A command, and the lines that a person sees after it. */
export interface Act {
  /** The command line as it is typed. With ` &` at its end it goes on beside those that follow. */
  readonly command: string
  /** Both outputs, then `exit code N` where it is not 0. `…` stands for any text within a line, and alone on a line for any lines. */
  readonly lines: readonly string[]
  /** The number of its first line in the transcript. */
  readonly at: number
}

const fence = /^```(\w*)$/

/** Reads the acts of a transcript: the `$ ` lines of its `console` blocks, in order. */
export function actsOf(markdown: string): readonly Act[] {
  const acts: { command: string; lines: string[]; at: number }[] = []
  let isConsole = false
  for (const [i, line] of markdown.split('\n').entries()) {
    const found = fence.exec(line)
    if (found !== null) isConsole = found[1] === 'console'
    else if (!isConsole) continue
    else if (line.startsWith('$ ')) acts.push({ command: line.slice(2), lines: [], at: i })
    else acts.at(-1)?.lines.push(line)
  }
  return acts
}

/** Prints a transcript with other lines after its commands, one list for each act. */
export function withLines(markdown: string, seen: readonly (readonly string[])[]): string {
  const lines = markdown.split('\n')
  // From the last one up, so that the places of the others stay.
  for (const [i, act] of [...actsOf(markdown).entries()].toReversed()) {
    lines.splice(act.at + 1, act.lines.length, ...seen[i]!)
  }
  return lines.join('\n')
}

/** Whether lines are as a transcript expects them. */
export function matches(expected: readonly string[], seen: readonly string[]): boolean {
  const source = expected.map((line) => (line.trim() === '…' ? anyLines : `${printed(line)}\n`)).join('')
  return new RegExp(`^${source}$`).test(seen.map((line) => `${line}\n`).join(''))
}

const anyLines = '(?:.*\\n)*?'
const printed = (line: string): string =>
  line
    .split('…')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`))
    .join('.*')
