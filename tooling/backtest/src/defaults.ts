/** The real date, yyyy-mm-dd in UTC. This file is the only place of the package that touches ambient time. */
export function today(): string {
  return new Date().toISOString().slice(0, 10)
}
