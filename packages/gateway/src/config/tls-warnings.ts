import { X509Certificate } from 'node:crypto'
import type { TlsMaterial } from '@wayleave/http-server'
import type { Suspicion } from './check.ts'
import type { Config } from './config.ts'

const dayMs = 86_400_000
/** A certificate that ends sooner is suspicious, in days. */
const leastDays = 14
const renewal = 'renew it (certbot renew, or as your authority says): the new files are taken without a restart'

/** Warns of a certificate that callers refuse at `now`, in ms since 1970, or soon will; and of hosts that it does not name. */
export function tlsWarnings(
  { cert }: Pick<TlsMaterial, 'cert'>,
  { bareHosts = [] }: Pick<Config, 'bareHosts'>,
  now: number,
): readonly Suspicion[] {
  const certificate = new X509Certificate(cert)
  const daysLeft = Math.floor((certificate.validToDate.getTime() - now) / dayMs)
  const unnamed = bareHosts.filter((host) => certificate.checkHost(host) === undefined)
  const rows: readonly (readonly [isSo: boolean, Omit<Suspicion, 'path'>])[] = [
    [
      daysLeft < 0,
      {
        code: 'certificate_ended',
        fails: true,
        expected: 'a certificate that is valid',
        received: `one that ended ${-daysLeft} days ago`,
        hint: renewal,
      },
    ],
    [
      daysLeft >= 0 && daysLeft < leastDays,
      {
        code: 'certificate_ends',
        expected: `a certificate that is valid for ${leastDays} days more`,
        received: `one that ends in ${daysLeft} days`,
        hint: renewal,
      },
    ],
    [
      certificate.validFromDate.getTime() > now,
      {
        code: 'certificate_early',
        fails: true,
        expected: 'a certificate that is valid',
        received: 'one that is not valid yet',
        hint: 'set the clock of this machine by NTP, or wait until then',
      },
    ],
    [
      unnamed.length > 0,
      {
        code: 'certificate_names',
        expected: 'a certificate that names all of bareHosts',
        received: `one without ${unnamed.join(', ')}`,
        hint: 'get a certificate with these names, and *.NAME for networks as the first label',
      },
    ],
  ]
  return rows.flatMap(([isSo, words]) => (isSo ? [{ path: ['listen', 'tls', 'cert'], ...words }] : []))
}
