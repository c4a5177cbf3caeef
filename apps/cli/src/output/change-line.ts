import { styleText } from 'node:util'
import type { ConfigChange } from '@wayleave/gateway'
import { oneLine } from './visible.ts'

const marks = { added: ['+', 'green'], changed: ['~', 'yellow'], removed: ['-', 'red'] } as const

/** Prints a difference between two configurations: `~ listen.rpc changes: needs a restart`, in colour on a terminal. */
export function changeLine({ kind, text }: ConfigChange, needsRestart: boolean, stream: NodeJS.WriteStream): string {
  const [mark, colour] = marks[kind]
  const line = `${mark} ${oneLine(text)}${needsRestart ? ': needs a restart' : ''}`
  return stream.isTTY ? styleText(colour, line, { stream }) : line
}
