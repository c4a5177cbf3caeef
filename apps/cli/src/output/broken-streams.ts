/** Keeps a process from dying of output that cannot be written, but where that is its result. */
export function tolerateBrokenStreams({
  stdout,
  stderr,
  exit,
}: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'exit'>): void {
  // Nobody could be told, and a gateway goes on serving.
  stderr.on('error', () => {})
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    // Who reads our output may leave first, such as `head`.
    if (code === 'EPIPE') return
    stderr.write(`wayleave: the output could not be written (${code})\n`)
    exit(1)
  })
}
