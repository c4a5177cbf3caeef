/**
 * Whether a request belongs to this machine: its `Host` is a loopback address or `localhost`, and so is its `Origin`, where it
 * has one. A web page from elsewhere has another origin, and another host where its name was made to point here.
 */
export function isLocal(host: string, origin: string | undefined): boolean {
  return isLocalUrl(`http://${host}`) && (origin === undefined || isLocalUrl(origin))
}

function isLocalUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname) || /^([\w-]+\.)*localhost$/.test(hostname)
}
