import { mayBeKey, parseBasic, secretsInUrl } from '@wayleave/auth'

/** Lists the credentials that a node is sent: those of its configured URL, and the values of the headers of its requests. */
export function upstreamSecrets(url: string, headers: Readonly<Record<string, string>>): readonly string[] {
  const values = Object.entries(headers).flatMap(([name, value]) => (isOpen.test(name) ? [] : inHeader(value)))
  return [...secretsInUrl(new URL(url)), ...values].filter((secret) => secret !== '')
}

/** Headers that say what is sent, and let nobody in. */
const isOpen = /^(?:accept(?:-\w+)?|content-type|origin|referer|user-agent)$/i

/** A value may be a scheme with a token, HTTP Basic, or several members, as that of `Cookie`. */
function inHeader(value: string): readonly string[] {
  const token = /^\S+ +(\S+)$/.exec(value)?.[1]
  const basic = parseBasic(value)
  return [
    value,
    ...(token === undefined ? [] : [token]),
    ...(basic === undefined ? [] : [basic.user, basic.password, `${basic.user}:${basic.password}`]),
    ...value.split(/[\s,;="]+/).filter(mayBeKey),
  ]
}
