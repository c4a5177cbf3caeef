/** Prints plain data as YAML in blocks, each line with `indent` before it. Ends with a line break. */
export function printYaml(value: object, indent = ''): string {
  if (Array.isArray(value)) return value.map((item: unknown) => printItem(item, indent)).join('')
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${indent}${scalar(name)}:${printMember(member, indent)}`)
    .join('')
}

function printMember(value: unknown, indent: string): string {
  return isFilled(value) ? `\n${printYaml(value, `${indent}  `)}` : ` ${scalar(value)}\n`
}

function printItem(value: unknown, indent: string): string {
  if (!isFilled(value)) return `${indent}- ${scalar(value)}\n`
  return `${indent}- ${printYaml(value, `${indent}  `).slice(indent.length + 2)}`
}

function isFilled(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

/** Texts that need no quotes: they begin like a word or an address, and cannot be read as another value. */
const plain =
  /^(?!(?:true|false|null|yes|no|on|off|y|n)$)(?:[A-Za-z_][\w./@+-]*|[A-Za-z][\w+.-]*:[\w/.:@?=&%+-]*[\w/]|\d+(?:\.\d+){3}:\d+)$/i

function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  if (plain.test(value)) return value
  // Single quotes leave all as it is, but for line breaks and other controls.
  return /\p{Cc}/u.test(value) ? JSON.stringify(value) : `'${value.replaceAll("'", "''")}'`
}
