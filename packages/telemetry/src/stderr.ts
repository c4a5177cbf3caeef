import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import type { LineSink } from './line-writer.ts'

const stderr = 2

/**
 * Opens stderr for writes that never wait for its reader. Linux opens a pipe or a terminal anew, with flags of its own: those of the
 * shared one change as other processes please, and Node waits for terminals. A socket, such as that of journald, cannot be opened anew;
 * Node makes it non-blocking, as for every program that uses `process.stderr`, and undoes that at exit. A file has no reader to wait for.
 */
export function openStderr(): LineSink {
  const kind = fstatSync(stderr)
  if (kind.isFile()) return { fd: stderr, close() {} }
  if (!kind.isSocket()) {
    try {
      const fd = openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
      return { fd, close: () => closeSync(fd) }
    } catch {
      // Another system, or the pipe of another user.
    }
  }
  void process.stderr
  return { fd: stderr, close() {} }
}
