/** The real date, yyyy-mm-dd in UTC. Only this file of the package reads real time. */
export function today(): string {
  return new Date().toISOString().slice(0, 10)
}
