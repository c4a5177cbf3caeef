import { createServer } from 'node:net'

/**
 * Explains in one sentence why a port cannot be listened on; undefined if it can, as port 0 always can. Another process may
 * still take the port afterwards: this check only avoids starting chains in vain.
 */
export async function whyPortIsTaken(host: string, port: number, flag: string): Promise<string | undefined> {
  const code = await tryToListen(host, port)
  return code === undefined ? undefined : whyRefused(code, host, port, flag)
}

/** Listens for a moment. Resolves with the code of the system's error; undefined: it can be listened on. */
export function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown'))
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)))
  })
}

/** Explains an error code of a listen in one sentence; undefined for a code that says best what it means. */
export function whyRefused(code: string, host: string, port: number, flag: string): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use: stop what listens there, or choose another with ${flag} (0 takes any free one)`
    case 'EACCES':
      return `port ${port} of ${host} is not for everybody: ports below 1024 need more rights, so choose another with ${flag}`
    case 'EADDRNOTAVAIL':
      return `this machine has no address ${host}: choose one of its own with --host`
    default:
      return undefined
  }
}
