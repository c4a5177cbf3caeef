/** The reason why a node gave no answer over its connection, or no connection came about. */
export type UnreachedKind =
  | 'certificate_wanted'
  | 'misnamed'
  | 'untrusted'
  | 'no_tls'
  | 'http2'
  | 'proxy_refuses'
  | 'proxy'
  | 'not_http'
  | 'closes'
  | 'unreachable'

export interface Unreached {
  readonly kind: UnreachedKind
  /** A clause: `nothing listens there (ECONNREFUSED)`. */
  readonly words: string
}

/** Codes of OpenSSL and of Node, in the order in which they are looked for. */
const rows: readonly (readonly [kind: UnreachedKind, codes: RegExp, words: string])[] = [
  ['proxy_refuses', /^PROXY_407$/, 'its proxy refuses the user or the password'],
  ['proxy', /^PROXY_\d+$/, 'its proxy opens no connection to it'],
  ['proxy', /^PROXY_/, 'its proxy cannot be reached'],
  ['certificate_wanted', /ALERT_CERTIFICATE_REQUIRED/, 'it wants a certificate of the gateway (mTLS)'],
  // An alert about our certificate, or the want of one in TLS 1.2; a peer seldom lacks a cipher of ours.
  [
    'certificate_wanted',
    /ALERT_(?:HANDSHAKE_FAILURE|BAD_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)/,
    'it refuses the handshake of TLS: it wants a certificate of the gateway (mTLS), or another one',
  ],
  ['certificate_wanted', /^TLS_FILES$/, 'the files of its tls cannot be read'],
  ['misnamed', /ALTNAME_INVALID/, 'its certificate is for another host name'],
  ['http2', /NO_APPLICATION_PROTOCOL/, 'it speaks HTTP/2 alone'],
  ['no_tls', /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|SSL_HTTP_REQUEST/, 'it speaks no TLS'],
  ['untrusted', /CERT|SELF_SIGNED|^ERR_TLS|^UNABLE_TO/, 'its certificate is not trusted'],
  ['unreachable', /^(?:ENOTFOUND|EAI_)/, 'its name has no address'],
  ['unreachable', /^ECONNREFUSED$/, 'nothing listens there'],
  ['not_http', /^HPE_|^HTTPParserError$/, 'it speaks no HTTP/1.1'],
  ['closes', /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/, 'it closes the connection without an answer'],
]

/** Explains the code of a connection that failed. */
export function explainUnreached(code: string): Unreached {
  const [kind, , words] = rows.find(([, codes]) => codes.test(code)) ?? [
    'unreachable' as const,
    /^/,
    'it cannot be reached',
  ]
  return { kind, words: `${words} (${code})` }
}
