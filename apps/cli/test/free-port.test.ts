import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { whyPortIsTaken, whyRefused } from '../src/free-port.ts'

describe('whyPortIsTaken', () => {
  it('names the port and the flag while somebody listens, and nothing afterwards', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(await whyPortIsTaken('127.0.0.1', port, '--port')).toBe(
      `port ${port} of 127.0.0.1 is in use: stop what listens there, or choose another with --port (0 takes any free one)`,
    )
    await new Promise((resolve) => server.close(resolve))
    expect(await whyPortIsTaken('127.0.0.1', port, '--port')).toBeUndefined()
    // The probe itself listens no more.
    await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED')
  })

  it('names an address that this machine does not have, and the flag', async () => {
    // TEST-NET-1, which nobody has.
    expect(await whyPortIsTaken('192.0.2.1', 8545, '--port')).toBe(
      'this machine has no address 192.0.2.1: choose one of its own with --host',
    )
  })

  it('finds port 0 free', async () => {
    expect(await whyPortIsTaken('127.0.0.1', 0, '--port')).toBeUndefined()
  })

  // root may listen anywhere, and so may everybody in some containers.
  it('names the rights that a low port takes', () => {
    expect(whyRefused('EACCES', '0.0.0.0', 443, '--port')).toBe(
      'port 443 of 0.0.0.0 is not for everybody: ports below 1024 need more rights, so choose another with --port',
    )
  })

  it('leaves other codes to the listen itself', () => {
    expect(whyRefused('EMFILE', '127.0.0.1', 8545, '--port')).toBeUndefined()
  })
})
