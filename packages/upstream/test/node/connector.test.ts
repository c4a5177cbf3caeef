// Connections through real proxies and with real certificates, and all that breaks before they are open.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConnector, type Way } from '@wayleave/upstream/node'
import { beforeAll, describe, expect, it } from 'vitest'
// @boundaries-ignore The same certificates as the tests of doctor make.
import { type CertificateFiles, makeCertificate } from '../../../../apps/cli/test/doctor/certificates.ts'

interface Pem {
  readonly cert: string
  readonly key: string
}

let ofNode: Pem
let ofGateway: Pem

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'wayleave-connector-'))
  const pemOf = ({ cert, key }: CertificateFiles): Pem => ({
    cert: readFileSync(cert, 'utf8'),
    key: readFileSync(key, 'utf8'),
  })
  ofNode = pemOf(makeCertificate(join(folder, 'node'), '20990101000000Z', 'node.test'))
  ofGateway = pemOf(makeCertificate(join(folder, 'gateway'), '20990101000000Z'))
  rmSync(folder, { recursive: true })
})

/** Opens a connection to an URL. Resolves to its socket, or to the code of its error. */
function open(way: Way, url: string, timeout = 5_000): Promise<unknown> {
  const { protocol, hostname, host, port } = new URL(url)
  const to = { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), host, port }
  return new Promise((resolve) =>
    createConnector(way, timeout)(to, (...[why, socket]) =>
      resolve(why === null ? socket : (why as NodeJS.ErrnoException).code),
    ),
  )
}

describe('a connection with a certificate', () => {
  it.each([
    ['is no PEM', () => ({ ...ofGateway, cert: 'text' })],
    ['does not fit its key', () => ({ cert: ofGateway.cert, key: ofNode.key })],
  ])('that %s fails with a code', async (_, material) => {
    expect(await open({ tls: async () => material() }, 'https://127.0.0.1:1')).toBe('TLS_FILES')
  })
})
