import { readBounded } from './read-bounded.ts'

/** Reads a PEM text, or the file of that path. Never rejects. */
export async function readPem(pathOrText: string): Promise<{ readonly text: string } | { readonly fault: string }> {
  if (pathOrText.includes('-----BEGIN ')) return { text: pathOrText }
  const read = await readBounded(pathOrText)
  return 'fault' in read ? read : { text: read.bytes.toString('utf8') }
}
