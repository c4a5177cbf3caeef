/** How a secret may stand in what was written: as it is, escaped, or within something in base64. */
export function formsOf(secret: string): string[] {
  const forms = new Set([
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('hex'),
  ])
  const bytes = Buffer.from(secret)
  for (const offset of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    // Only the characters that hold nothing but bits of the secret.
    const inner = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    forms.add(inner).add(inner.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return [...forms]
}

/** Which of the named secrets a text holds, in any form. */
export function secretsIn(text: string, secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) =>
    formsOf(secret)
      .filter((form) => text.includes(form))
      .map((form) => `${name} as ${form}: …${around(text, form)}…`),
  )
}

function around(text: string, form: string): string {
  const at = text.indexOf(form)
  return text.slice(Math.max(0, at - 80), at + form.length + 40)
}
