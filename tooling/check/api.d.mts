export function reportOf(folder: string): string
