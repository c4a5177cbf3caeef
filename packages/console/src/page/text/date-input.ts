/** Prints a moment for an input of the type `datetime-local`, in local time. */
export function toInput(at: number | undefined): string {
  if (at === undefined) return ''
  // oxlint-disable-next-line no-restricted-globals -- reads no clock
  const moment = new Date(at)
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}`
}

/** Reads such an input; undefined where it is empty. */
export function fromInput(text: string): number | undefined {
  // oxlint-disable-next-line no-restricted-globals -- reads no clock
  const at = new Date(text).getTime()
  return text === '' || Number.isNaN(at) ? undefined : at
}
