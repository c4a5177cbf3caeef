import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files of a certificate that signs itself. */
export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** Makes a certificate for 127.0.0.1 and these names that ends at `end`, such as `20250201000000Z`. */
export function makeCertificate(folder: string, end: string, ...names: readonly string[]): CertificateFiles {
  mkdirSync(folder, { recursive: true })
  const [config, key, request, cert] = ['ca.cnf', 'key.pem', 'request.pem', 'cert.pem'].map((name) =>
    join(folder, name),
  )
  const alternatives = ['IP:127.0.0.1', ...names.map((name) => `DNS:${name}`)].join(',')
  writeFileSync(join(folder, 'index.txt'), '')
  writeFileSync(
    config!,
    `[req]
distinguished_name = dn
prompt = no
[dn]
CN = test
[ca]
default_ca = own
[own]
database = ${join(folder, 'index.txt')}
new_certs_dir = ${folder}
rand_serial = yes
default_md = sha256
policy = any
x509_extensions = names
[any]
commonName = supplied
[names]
subjectAltName = ${alternatives}
basicConstraints = CA:true
`,
  )
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'ignore' })
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  openssl('req', '-new', ...curve, '-config', config!, '-keyout', key!, '-out', request!)
  const span = ['-startdate', '20240101000000Z', '-enddate', end]
  openssl(
    'ca',
    '-batch',
    '-selfsign',
    '-config',
    config!,
    '-keyfile',
    key!,
    '-in',
    request!,
    '-out',
    cert!,
    '-notext',
    ...span,
  )
  return { cert: cert!, key: key! }
}
