/** The sockets of a service manager, as file descriptors, by the listener that takes each. */
export type PassedSockets = Partial<Record<(typeof listeners)[number], number>>

const listeners = ['rpc', 'ipfs', 'admin'] as const

/** The first descriptor that is passed. */
const firstDescriptor = 3

/**
 * Finds the sockets that a service manager, such as systemd, passes to this process (sd_listen_fds(3)), by their names
 * (`FileDescriptorName=`); a name that is no listener's is that of `rpc`. Without `LISTEN_PID` they are of a launcher, which cannot know it.
 */
export function findPassedSockets(env: Readonly<Record<string, string | undefined>>, pid: number): PassedSockets {
  const { LISTEN_FDS, LISTEN_FDNAMES = '', LISTEN_PID = String(pid) } = env
  if (LISTEN_PID !== String(pid)) return {}
  const names = LISTEN_FDNAMES.split(':')
  const found: PassedSockets = {}
  for (let i = 0; i < Number(LISTEN_FDS ?? 0); i++) {
    const name = listeners.find((each) => each === names[i]) ?? 'rpc'
    found[name] ??= firstDescriptor + i
  }
  return found
}
