const levels: Readonly<Record<number, string>> = { 20: 'DEBUG', 30: 'INFO', 40: 'WARN', 50: 'ERROR' }

/** Prints a line of the log for people, `2026-11-24T10:00:00.000Z WARN  a sentence network=mainnet`, from its JSON object. */
export function printTextLine(json: string): string {
  const { time, level, msg = '', ...fields } = JSON.parse(json) as Readonly<Record<string, unknown>>
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${printValue(value)}`)
  // oxlint-disable-next-line eslint/no-restricted-globals -- prints a moment, and asks for none
  const at = typeof time === 'number' ? new Date(time).toISOString() : '-'
  return `${at} ${(levels[Number(level)] ?? String(level)).padEnd(5)} ${oneLine(String(msg))}${pairs.join('')}\n`
}

/** A text that ends no line and moves no cursor. */
const plain = /^[\w.:/@%+-]+$/

function printValue(value: unknown): string {
  if (typeof value === 'string') return plain.test(value) ? value : quoted(value)
  return typeof value === 'object' && value !== null ? quoted(value) : String(value)
}

function oneLine(text: string): string {
  return quoted(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
}

/** JSON leaves DEL and the control characters of Latin 1 as they are. */
function quoted(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
