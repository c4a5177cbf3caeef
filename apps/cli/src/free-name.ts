/** Finds a name that is not taken: `wanted`, or with a number behind it. */
export function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  let name = wanted
  for (let i = 2; isTaken(name); i++) name = `${wanted.slice(0, 57)}-${i}`
  return name
}
