import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { Issue } from '@wayleave/jsonrpc-core/schema'
import { type TlsConfig, tlsDefaults } from './listen-config.ts'
import { withDefaults } from './setting.ts'
import { readBounded } from './read-bounded.ts'

/** A certificate and its key as PEM texts, for a server. */
export interface TlsMaterial {
  readonly cert: string
  readonly key: string
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3'
  readonly ciphers: string
}

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

/** Reads and checks a certificate and its key. Never rejects. */
export async function readTls(config: TlsConfig): Promise<TlsMaterial | { readonly issues: readonly Issue[] }> {
  const [cert, key] = await Promise.all([readPem(config.cert, 'cert'), readPem(config.key, 'key')])
  const issues = [cert, key].filter((part) => typeof part !== 'string')
  if (typeof cert !== 'string' || typeof key !== 'string') return { issues }
  const { minVersion } = withDefaults(tlsDefaults, config)
  const certificate = attempt(() => new X509Certificate(cert))
  const privateKey = attempt(() => createPrivateKey(key))
  if (certificate === undefined) issues.push(issue('cert', 'a PEM certificate', 'something else'))
  if (privateKey === undefined) {
    const received = key.includes('ENCRYPTED') ? 'an encrypted one' : 'something else'
    issues.push(issue('key', 'a PEM private key without a passphrase', received))
  }
  if (certificate === undefined || privateKey === undefined) return { issues }
  if (!certificate.checkPrivateKey(privateKey)) {
    const received = `the ${privateKey.asymmetricKeyType ?? 'private'} key of another`
    return { issues: [issue('key', 'the private key of the certificate in listen.tls.cert', received)] }
  }
  if (attempt(() => createSecureContext({ cert, key, minVersion, ciphers })) === undefined) {
    return { issues: [issue('cert', 'a certificate and a chain that TLS takes', 'one that it refuses')] }
  }
  return { cert, key, minVersion, ciphers }
}

async function readPem(pathOrText: string, member: string): Promise<string | Issue> {
  if (pathOrText.includes('-----BEGIN ')) return pathOrText
  const read = await readBounded(pathOrText)
  // The value is not shown: it may be a key that is no PEM.
  return 'fault' in read ? issue(member, 'a PEM file that can be read', read.fault) : read.bytes.toString('utf8')
}

function issue(member: string, expected: string, received: string): Issue {
  return { path: ['listen', 'tls', member], expected, received }
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
