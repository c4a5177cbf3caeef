import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Certificate {
  /** PEM texts. */
  readonly cert: string
  readonly key: string
}

/** No dependency: the program, where the system has it. */
const openssl = 'openssl'

/** Whether certificates can be made here. */
export const hasOpenssl: boolean = (() => {
  try {
    execFileSync(openssl, ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

/** A certificate of `localhost` and 127.0.0.1 that is its own root. */
export function makeCertificate(name: string, keyType: 'ec' | 'rsa' = 'ec'): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-tls-'))
  try {
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
    const newKey = { ec: ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'], rsa: ['rsa:2048'] }[keyType]
    const keyOptions = ['-newkey', ...newKey, '-nodes']
    execFileSync(openssl, ['req', '-x509', ...keyOptions, '-keyout', key, '-out', cert, '-days', '2', ...subject], {
      stdio: 'ignore',
    })
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
