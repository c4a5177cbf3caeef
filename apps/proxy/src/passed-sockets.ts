import { ListenError } from '@wayleave/gateway'

/** The sockets of a service manager, as file descriptors, by the listener that takes each. */
export type PassedSockets = Partial<Record<Listener, number>>

type Listener = 'rpc' | 'ipfs' | 'admin'

const all: readonly Listener[] = ['rpc', 'ipfs', 'admin']

/** The first descriptor that is passed. */
const firstDescriptor = 3

/**
 * Finds the sockets that a service manager, such as systemd, passes to this process (sd_listen_fds(3)), by their names
 * (`FileDescriptorName=`); without a name of its own, one is that of `rpc`. Without `LISTEN_PID` they are of a launcher, which cannot know it.
 * @throws ListenError for a socket that none of `listeners` takes: its connections would wait without an end
 */
export function findPassedSockets(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
  listeners: readonly Listener[] = all,
): PassedSockets {
  const { LISTEN_FDS, LISTEN_FDNAMES = '', LISTEN_PID = String(pid) } = env
  if (LISTEN_PID !== String(pid)) return {}
  const names = LISTEN_FDNAMES.split(':')
  const found: PassedSockets = {}
  for (let i = 0; i < Number(LISTEN_FDS ?? 0); i++) {
    const given = names[i] ?? ''
    const name = listeners.find((each) => each === (isUnnamed(given) ? 'rpc' : given))
    if (name === undefined || found[name] !== undefined) {
      const what = `The socket ${i + 1} of ${LISTEN_FDS} that was passed, ${given === '' ? 'without a name' : `named ${JSON.stringify(given)}`},`
      const why = `${what} has no listener: name one for each of ${listeners.join(', ')} at most (FileDescriptorName=).`
      throw new ListenError(why, false)
    }
    found[name] = firstDescriptor + i
  }
  return found
}

/** Whether a name is the one that systemd gives without `FileDescriptorName=`. */
function isUnnamed(name: string): boolean {
  return name === '' || name === 'unknown' || name.endsWith('.socket')
}
