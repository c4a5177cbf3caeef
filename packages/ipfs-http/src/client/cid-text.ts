/** Whether a value can be the text of a CID, which is safe to print and to use as a name. It need not be one. */
export function isCidText(value: unknown): value is string {
  return typeof value === 'string' && /^\w[\w+-]{0,1023}$/.test(value)
}
