import type { ChildProcess } from 'node:child_process'
import { connect } from 'node:net'
import type { BenchClock } from '../defaults.ts'

/** Calls `ready` once a process takes connections on a port. */
export function awaitPort(clock: BenchClock, process: ChildProcess, port: number, ready: () => void): void {
  if (process.exitCode !== null) return
  const socket = connect(port, '127.0.0.1', () => {
    socket.destroy()
    ready()
  })
  socket.on('error', () => clock.after(20, () => awaitPort(clock, process, port, ready)))
}
