import { type CommandIo, UsageError } from '../command.ts'

const mostCharacters = 1_048_576

/** Reads all of stdin, of a terminal one line. @throws UsageError beyond a mebibyte */
export async function readStdin({ process: { stdin } }: CommandIo): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stdin as AsyncIterable<Uint8Array | string>) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    if (text.length > mostCharacters) throw new UsageError('stdin: expected at most 1 MiB')
    if (stdin.isTTY && text.includes('\n')) break
  }
  return text
}

/**
 * Asks a yes-or-no question on the terminal. @throws UsageError where nobody can be asked, since stdin or stderr is no terminal
 */
export async function confirm(question: string, io: CommandIo): Promise<boolean> {
  const { stdin, stderr } = io.process
  if (!stdin.isTTY || !stderr.isTTY) {
    throw new UsageError(`expected --yes, since nobody can be asked here: ${question}`)
  }
  io.stderr(`${question} [y/N] `)
  return /^y(?:es)?\s*$/i.test(await readStdin(io))
}
