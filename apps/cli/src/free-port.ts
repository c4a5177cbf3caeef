import { createServer } from 'node:net'

/**
 * Explains in one sentence why a port cannot be listened on; undefined if it can, as port 0 always can. Another process may
 * still take the port afterwards: this check only avoids starting chains in vain.
 */
export function whyPortIsTaken(host: string, port: number, flag: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', ({ code }: NodeJS.ErrnoException) => {
      const taken = `port ${port} of ${host} is in use: stop what listens there, or choose another with ${flag}`
      resolve(code === 'EADDRINUSE' ? `${taken} (0 takes any free one)` : undefined)
    })
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)))
  })
}
