/**
 * Lists the secrets of a node's URL, decoded: the password of any length, a user of eight characters or more, and parts of the path and
 * values of the query that {@link mayBeKey}. A password or a user that is not there is an empty text.
 */
export function secretsInUrl({ username, password, pathname, searchParams }: URL): readonly string[] {
  const user = decoded(username)
  const parts = [...pathname.split('/').map(decoded), ...searchParams.values()].filter(mayBeKey)
  return [decoded(password), user.length > 7 ? user : '', ...parts]
}

/** Tells whether a part of a URL may be a key, and not a word, such as the name of a network. */
export function mayBeKey(part: string): boolean {
  return part.length > 15 || (part.length > 7 && /[A-Z\d]/.test(part))
}

/** A percent sign that encodes nothing stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
