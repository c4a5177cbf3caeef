/** Keeps the process alive if stderr breaks or the reader of stdout leaves; exits with 1 if its result cannot be written. */
export function tolerateBrokenStreams({
  stdout,
  stderr,
  exit,
}: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'exit'>): void {
  // A broken stream takes no report, and a gateway continues to serve.
  stderr.on('error', () => {})
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    // A reader such as `head` may close stdout first.
    if (code === 'EPIPE') return
    stderr.write(`wayleave: the output could not be written (${code})\n`)
    exit(1)
  })
}
