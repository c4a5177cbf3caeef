/** Whether an `Accept` header weighs JSON higher than plain text (RFC 9110 §12.5.1). */
export function prefersJson(accept: string | undefined): boolean {
  return accept !== undefined && weightOf(accept, 'application', 'json') > weightOf(accept, 'text', 'plain')
}

/** The weight of the most specific range that holds the type. */
function weightOf(accept: string, type: string, subtype: string): number {
  const weights: (number | undefined)[] = [undefined, undefined, undefined]
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const level = [`${type}/${subtype}`, `${type}/*`, '*/*'].indexOf(range)
    if (level < 0) continue
    const q = parameters.find((parameter) => parameter.startsWith('q='))
    weights[level] = q === undefined ? 1 : Number(q.slice(2)) || 0
  }
  return weights.find((weight) => weight !== undefined) ?? 0
}
