import { createServer } from 'node:net'

/**
 * Tells in one sentence why a port cannot be listened on; undefined where it can. Somebody may still take it afterwards:
 * this only spares the start of what would then have to stop again. Port 0 always can.
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
