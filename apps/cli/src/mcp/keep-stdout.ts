/** The stdout that a server keeps to itself. */
interface KeptStdout {
  readonly write: (text: string) => void
  restore(): void
}

/** Keeps stdout for the messages of a protocol: all else that is written to it, such as by a configuration in TypeScript, goes to stderr. */
export function keepStdout({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): KeptStdout {
  const { write } = stdout
  stdout.write = stderr.write.bind(stderr)
  return {
    write: (text) => void write.call(stdout, text),
    restore() {
      stdout.write = write
    },
  }
}
