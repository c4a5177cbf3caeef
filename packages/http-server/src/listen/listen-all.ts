import type { HttpListener } from './listener.ts'

/** Listens one by one; the first address that cannot be had is told. @throws ListenError */
export async function listenAll(listeners: readonly Pick<HttpListener, 'listen'>[]): Promise<readonly string[]> {
  const addresses: string[] = []
  for (const listener of listeners) addresses.push(await listener.listen())
  return addresses
}
