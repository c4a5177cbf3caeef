/** Says in words why no connection could be made to an address (scheme, host and port); undefined where the error's own message says it best. */
export function whyNoConnection(failure: Error, address: string): string | undefined {
  const { message, cause } = failure
  const reported = cause instanceof Error ? `(${cause.message}) ${message}` : message
  const code = /\(([A-Z][A-Z0-9_]+)\)/.exec(reported)?.[1]
  const host = URL.canParse(address) ? new URL(address).hostname : address
  switch (code) {
    case 'ECONNREFUSED':
      return `nothing listens at ${address}: start a gateway with wayleave dev, or name another by --rpc-url`
    case 'ENOTFOUND':
      return `there is no host ${host}: check the URL`
    case 'EAI_AGAIN':
      return `the name ${host} cannot be looked up: is there a network?`
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `${address} cannot be reached: is there a network, and the URL right?`
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return `${address} does not speak TLS: is it an http URL?`
    default:
      return code !== undefined && /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_)/.test(code)
        ? `the certificate of ${address} is not trusted here (${code})`
        : undefined
  }
}
