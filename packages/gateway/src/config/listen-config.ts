import { boolean, oneOf, shown, type TypeOf } from '@wayleave/jsonrpc-core/schema'
import { defaultsOf, exact, filePath, required, setting, stringThat } from '@wayleave/network/config'

const hostAndPort = /^(?:\[[\da-fA-F:]+\]|[\w.-]+):(\d{1,5})$/
const address = stringThat(
  'host:port, such as 127.0.0.1:8545',
  (value) => {
    const port = hostAndPort.exec(value)?.[1]
    return port !== undefined && Number(port) <= 65_535
  },
  { pattern: hostAndPort.source },
)
const pem = filePath('the path of a PEM file, or PEM text')

const tlsMembers = {
  cert: required(pem, 'The certificate, and those between it and its root.'),
  key: pem,
  minVersion: setting(
    shown(oneOf('TLSv1.2', 'TLSv1.3')),
    'The oldest version that is spoken; of TLSv1.2 only suites with forward secrecy are.',
    'TLSv1.2',
  ),
}
const tls = exact('{ cert, key }', tlsMembers)

const addresses = {
  rpc: setting(shown(address), 'JSON-RPC over HTTP and WebSocket.', '127.0.0.1:8545'),
  ipfs: setting(shown(address), 'The IPFS API.', '127.0.0.1:5001'),
  admin: setting(shown(address), 'Health, status and metrics.', '127.0.0.1:8546'),
}

const members = {
  ...addresses,
  tls: setting(tls, 'With it, `rpc` takes only HTTPS and WSS, and `ipfs` only HTTPS.'),
  compress: setting(
    shown(boolean),
    'Whether `rpc` compresses results of single calls over 64 kB (gzip) for callers whose `Accept-Encoding` has it.',
    false,
  ),
}

export const listen = exact('the addresses to listen on', members)

/** Addresses, each `host:port`; port 0 is any free one. */
export type ListenConfig = TypeOf<typeof listen>

/** A certificate and its key, each a path, relative to the working directory, or PEM text. */
export type TlsConfig = TypeOf<typeof tls>

/** Addresses that the gateway listens on by default. */
export const defaultListen = defaultsOf(addresses)

export const listenDefaults = defaultsOf(members)
export const tlsDefaults = defaultsOf(tlsMembers)
