import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { type Issue, type IssuePath, printPath } from '@wayleave/jsonrpc-core/schema'
import { readPem, withDefaults } from '@wayleave/network/config'
import type { TlsMaterial } from '@wayleave/http-server'
import { type TlsConfig, tlsDefaults } from './listen-config.ts'

/**
 * The suites of TLS 1.3 as Node has them, and of TLS 1.2 those with forward secrecy and authenticated encryption: a key that is stolen
 * later opens no recorded connection. Source: RFC 9325 §4.2.
 */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/** Reads and checks the certificate of the listeners and its key. Never rejects. */
export async function readTls(config: TlsConfig): Promise<TlsMaterial | { readonly issues: readonly Issue[] }> {
  const path = ['listen', 'tls']
  const pair = await readPair(config, path)
  if ('issues' in pair) return pair
  const { cert, key } = pair
  const { minVersion } = withDefaults(tlsDefaults, config)
  if (attempt(() => createSecureContext({ cert, key, minVersion, ciphers })) === undefined) {
    return { issues: [pairIssue(path, 'cert', 'a certificate and a chain that TLS takes', 'one that it refuses')] }
  }
  return { cert, key, minVersion, ciphers }
}

/** Reads a certificate and its key, and checks that they belong together. `path`: the place of both. Never rejects. */
export async function readPair(
  config: Pick<TlsConfig, 'cert' | 'key'>,
  path: IssuePath,
): Promise<Pick<TlsMaterial, 'cert' | 'key'> | { readonly issues: readonly Issue[] }> {
  const issues: Issue[] = []
  const read = async (member: 'cert' | 'key'): Promise<string | undefined> => {
    const pem = await readPem(config[member])
    if ('text' in pem) return pem.text
    // The value is not shown: it may be a key that is no PEM.
    issues.push(pairIssue(path, member, 'a PEM file that can be read', pem.fault))
    return undefined
  }
  const cert = await read('cert')
  const key = await read('key')
  if (cert === undefined || key === undefined) return { issues }
  const certificate = attempt(() => new X509Certificate(cert))
  const privateKey = attempt(() => createPrivateKey(key))
  if (certificate === undefined) issues.push(pairIssue(path, 'cert', 'a PEM certificate', 'something else'))
  if (privateKey === undefined) {
    const received = key.includes('ENCRYPTED') ? 'an encrypted one' : 'something else'
    issues.push(pairIssue(path, 'key', 'a PEM private key without a passphrase', received))
  }
  if (certificate === undefined || privateKey === undefined) return { issues }
  if (certificate.checkPrivateKey(privateKey)) return { cert, key }
  const expected = `the private key of the certificate in ${printPath([...path, 'cert'])}`
  const received = `the ${privateKey.asymmetricKeyType ?? 'private'} key of another`
  return { issues: [pairIssue(path, 'key', expected, received)] }
}

/** Makes the issue of a member at `path`. */
export function pairIssue(path: IssuePath, member: string, expected: string, received: string): Issue {
  return { path: [...path, member], expected, received }
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

/** Reads when a certificate that {@link readTls} took ends, in ms since 1970. */
export function endOfCertificate(cert: string): number {
  // oxlint-disable-next-line eslint/no-restricted-globals -- reads a moment, and asks for none
  return Date.parse(new X509Certificate(cert).validTo)
}
